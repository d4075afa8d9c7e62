// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/waterfall_texts.h"

#include "core/waterfall/reasons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <QCoreApplication>

#include <cstdlib>

namespace plimsoll::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("Waterfall", text);
}

QString explainedText(const waterfall::Waterfall& of)
{
    const std::int64_t rest = std::abs(of.notExplained().count());
    if (rest == 0)
        return translated("Each block at the peak is accounted for.");
    return translated("%1 are not explained.").arg(bytesText(base::Bytes{rest}));
}

} // namespace

QString reasonText(waterfall::Reason reason)
{
    return translated(waterfall::reasonName(reason));
}

QString waterfallVerdict(const waterfall::Waterfall& of)
{
    const base::Bytes gap = of.measuredPeak - of.predictedPeak;
    if (gap.count() == 0)
        return translated("The measured peak is the predicted one, to the byte. %1")
            .arg(explainedText(of));
    const double share = of.predictedPeak.count() == 0
                             ? 0
                             : static_cast<double>(std::abs(gap.count()))
                                   / static_cast<double>(of.predictedPeak.count());
    return (gap.count() > 0 ? translated("Measured %1 over the prediction (%2). %3")
                            : translated("Measured %1 below the prediction (%2). %3"))
        .arg(bytesText(base::Bytes{std::abs(gap.count())}), percentText(share), explainedText(of));
}

bool isWarning(const waterfall::Waterfall& of)
{
    return of.measuredPeak > of.predictedPeak || of.notExplained().count() != 0;
}

QStringList waterfallFacts(const waterfall::Waterfall& of)
{
    QStringList facts;
    facts << translated("%1 of the recording").arg(fileText(of.window.text()));
    return facts;
}

QString opText(const waterfall::Waterfall& of, std::size_t step)
{
    return fileText(waterfall::placeText(of.predicted, step));
}

} // namespace plimsoll::ui
