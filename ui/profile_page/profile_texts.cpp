// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_texts.h"

#include "core/memtrace/analysis/oddities.h"
#include "ui/base/numbers.h"

#include <QObject>

#include <algorithm>

namespace plimsoll::ui {

std::size_t oddityCount(const memtrace::MemoryTrace& trace)
{
    std::size_t count = 0;
    for (const auto& [name, occurrences] : trace.statistics())
        count += memtrace::isOddity(name) ? occurrences : 0;
    return count;
}

QString stepText(const workspace::ProfilePicture& picture, std::size_t step)
{
    if (step == 0)
        return QObject::tr("before the first event");
    const auto event = static_cast<memtrace::EventIndex>(step - 1);
    if (picture.settings.axis == memtrace::Axis::Events || !picture.trace->hasTimes())
        return QObject::tr("event %1").arg(countText(picture.device().shownIndex(event)));
    return timeText(picture.device().timeOf(event));
}

QString rangeText(const workspace::ProfilePicture& picture, const std::optional<StepRange>& range)
{
    if (!range)
        return {};
    const QString begin = stepText(picture, range->begin);
    QString end = stepText(picture, range->end);
    // The last step lasts until the next event, as in the plot.
    if (picture.trace->hasTimes()) {
        const timeline::Times& times = picture.device().axisTimes();
        end = timeText(base::Nanoseconds{times[std::min(range->end + 1, times.size() - 1)]});
    }
    return begin == end ? begin : QStringLiteral("%1 – %2").arg(begin, end);
}

QString eventPlaceText(const workspace::ProfilePicture& picture, std::size_t step)
{
    if (step == 0)
        return QLatin1String{""};
    const auto event = static_cast<memtrace::EventIndex>(step - 1);
    const QString number =
        QObject::tr("event %1").arg(countText(picture.device().shownIndex(event)));
    return picture.trace->hasTimes()
               ? timeText(picture.device().timeOf(event)) + QStringLiteral(" · ") + number
               : number;
}

bool hasReserved(const memtrace::DeviceTrace& device)
{
    return !device.reserved().points().empty();
}

QString liveText(const workspace::ProfilePicture& picture, std::size_t step, base::Bytes matching)
{
    const QString when = stepText(picture, step);
    const QString all = bytesText(picture.timeline->totalAt(step));
    return picture.isFiltered() ? QObject::tr("%1 · %2 of %3").arg(when, bytesText(matching), all)
                                : QObject::tr("%1 · %2").arg(when, all);
}

} // namespace plimsoll::ui
