// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/run_texts.h"

#include "ui/base/numbers.h"
#include "ui/models/program_texts.h"

#include <QCoreApplication>
#include <QStringList>

namespace plimsoll::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("RunTexts", text);
}

QString failing(const plan::VerifiedPlan& plan, base::Bytes budget, const run::RunVerdict& run)
{
    const run::OutOfMemory& failure = *run.run.failure;
    QString text = tr("Runs out of memory with %1, at %2: free memory lies in pieces. ")
                       .arg(ui::bytesText(budget), opPlace(*plan.problem().step(), failure.op));
    if (run.expandable && *run.expandable != run::RunStatus::Fails)
        return text + tr("With expandable segments this plan runs.");
    return text + tr("This plan runs with %1.").arg(ui::bytesText(*run.runsAt, Rounding::Up));
}

} // namespace

bool runsOnGpu(const plan::VerifiedPlan& plan)
{
    return plan.problem().step()->header.target == "cuda";
}

Judgement judge(const plan::VerifiedPlan& plan, base::Bytes budget,
                const std::optional<run::RunVerdict>& run)
{
    const QString asked = ui::bytesText(budget);
    const QString spare = shortBytesText(budget - plan.evaluation().peak, Rounding::Down);
    if (!runsOnGpu(plan))
        return {Verdict::Good, tr("Fits %1 with %2 to spare.").arg(asked, spare)};
    if (!run)
        return {Verdict::Neutral,
                tr("The peak is %1 below %2. Checking PyTorch's allocator…").arg(spare, asked)};
    switch (run->status) {
    case run::RunStatus::Fails: return {Verdict::Bad, failing(plan, budget, *run)};
    case run::RunStatus::RunsWithFlushes:
        return {Verdict::Slow,
                tr("Runs with %1, but PyTorch has to empty its cache to find memory, and waits for "
                   "the GPU each time.")
                    .arg(asked)};
    case run::RunStatus::Runs: break;
    }
    return {Verdict::Good, (plan.plan().recomputesNothing()
                                ? tr("Runs with %1 without recomputing anything, %2 to "
                                     "spare.")
                                : tr("Runs with %1, %2 to spare."))
                               .arg(asked, spare)};
}

QString runDetails(const plan::VerifiedPlan& plan, const std::optional<run::RunVerdict>& run)
{
    if (!run || !runsOnGpu(plan))
        return {};
    if (const auto& failure = run->run.failure)
        return tr("In iteration %1 PyTorch asks for %2. %3 of the GPU are free, and the largest of "
                  "its own free blocks has %4. This plan runs with %5.")
            .arg(QString::number(failure->iteration), ui::bytesText(failure->asked, Rounding::Up),
                 ui::bytesText(failure->free, Rounding::Down),
                 ui::bytesText(failure->largestCached, Rounding::Down),
                 ui::bytesText(*run->runsAt, Rounding::Up));
    if (run->status == run::RunStatus::Runs)
        return {};
    QStringList counts;
    for (const int count : run->run.flushes)
        counts << QString::number(count);
    return tr("PyTorch empties its cache %1 times in the first %2 iterations.")
        .arg(counts.join(QStringLiteral(", ")), QString::number(counts.size()));
}

QString boundsText(const workspace::Planned& planned, const solve::Outcome& outcome)
{
    if (!outcome.best || outcome.best->plan().recomputesNothing())
        return {};
    if (outcome.status == solve::Status::Optimal)
        return tr("Proved: no plan of this kind is faster.");
    const QString bound = ui::bytesText(outcome.peakBound.bytes, Rounding::Down);
    const base::Nanoseconds unplanned = planned.unplanned->evaluation().stepTime;
    return outcome.timeBound <= unplanned
               ? tr("Not proved fastest. No plan goes below %1.").arg(bound)
               : tr("Not proved fastest: at best %1 is possible. No plan goes below %2.")
                     .arg(percentDifferenceText(slowDown(outcome.timeBound, unplanned)), bound);
}

} // namespace plimsoll::ui
