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

QString stepTimeText(const plan::VerifiedPlan& plan)
{
    return ui::timeText(plan.evaluation().stepTime);
}

QString timesText(int count)
{
    return count == 1 ? tr("once") : tr("%1 times").arg(count);
}

/// With the cheapest help first.
QString failing(const run::PlanChoice& choice, base::Bytes budget,
                std::optional<base::Bytes> leastBudget)
{
    const run::RunVerdict& run = *choice.verdict;
    const run::OutOfMemory& failure = *run.run.failure;
    QString text =
        tr("Runs out of memory with %1, at %2: free memory lies in pieces. ")
            .arg(ui::bytesText(budget), opPlace(*choice.plan->problem().step(), failure.op));
    if (run.expandable == run::RunStatus::Runs)
        return text + tr("With expandable segments this plan runs.");
    if (choice.expandable && choice.expandable->status == run::RunStatus::Runs)
        return text
               + tr("With expandable segments another plan runs: %1 a step.")
                     .arg(stepTimeText(*choice.expandable->plan));
    if (leastBudget && budget < *leastBudget && *leastBudget < *run.runsAt)
        return text
               + tr("From %1 on, another plan runs without cache flushes.")
                     .arg(ui::bytesText(*leastBudget, Rounding::Up));
    return text + tr("This plan runs with %1.").arg(ui::bytesText(*run.runsAt, Rounding::Up));
}

QString flushing(const run::PlanChoice& choice, base::Bytes budget)
{
    const run::RunVerdict& run = *choice.verdict;
    const QString text =
        tr("Runs with %1, but PyTorch has to empty its cache %2 in %3 steps, and waits for the "
           "GPU each time.")
            .arg(ui::bytesText(budget), timesText(run.run.flushCount()),
                 QString::number(run.run.flushes.size()));
    if (run.expandable == run::RunStatus::Runs)
        return text + u' ' + tr("With expandable segments it needn't.");
    return choice.expandable ? text + u' '
                                   + tr("With expandable segments another plan needn't: %1 a step.")
                                         .arg(stepTimeText(*choice.expandable->plan))
                             : text;
}

QString verdictDetails(const run::PlanChoice& choice)
{
    const run::RunVerdict& run = *choice.verdict;
    if (const auto& failure = run.run.failure) {
        const QString text =
            tr("In iteration %1 PyTorch asks for %2. %3 of the GPU are free, and the largest of "
               "its own free blocks has %4. This plan runs with %5.")
                .arg(QString::number(failure->iteration),
                     ui::bytesText(failure->asked, Rounding::Up),
                     ui::bytesText(failure->free, Rounding::Down),
                     ui::bytesText(failure->largestCached, Rounding::Down),
                     ui::bytesText(*run.runsAt, Rounding::Up));
        if (run.expandable == run::RunStatus::RunsWithFlushes)
            return text + u' '
                   + tr("With expandable segments it runs, but PyTorch has to empty its cache to "
                        "find memory.");
        if (choice.expandable && choice.expandable->status == run::RunStatus::RunsWithFlushes)
            return text + u' '
                   + tr("With expandable segments another plan runs, but PyTorch has to empty its "
                        "cache to find memory.");
        return text;
    }
    if (run.status == run::RunStatus::Runs)
        return {};
    QStringList counts;
    for (const int count : run.run.flushes)
        counts << QString::number(count);
    return tr("PyTorch empties its cache %1 times in the first %2 iterations.")
        .arg(counts.join(QStringLiteral(", ")), QString::number(counts.size()));
}

/// Why faster plans were not taken.
QString passedOverText(const run::PassedOver& passed)
{
    const QString time = stepTimeText(*passed.fastest);
    const QString which =
        passed.count == 1
            ? tr("One faster plan within the budget was passed over: with it (%1)").arg(time)
            : tr("%1 faster plans within the budget were passed over: with the fastest (%2)")
                  .arg(QString::number(passed.count), time);
    return (*passed.status == run::RunStatus::Fails
                ? tr("%1, PyTorch runs out of memory, which lies in pieces that are too small.")
                : tr("%1, PyTorch has to empty its cache to find memory."))
        .arg(which);
}

} // namespace

Judgement judge(const run::PlanChoice& choice, base::Bytes budget,
                std::optional<base::Bytes> leastBudget)
{
    const plan::VerifiedPlan& plan = *choice.plan;
    const std::optional<run::RunVerdict>& run = choice.verdict;
    const QString asked = ui::bytesText(budget);
    const QString spare = shortBytesText(budget - plan.evaluation().peak, Rounding::Down);
    if (!run::hasAllocator(plan.problem()))
        return {Verdict::Good, tr("Fits %1 with %2 to spare.").arg(asked, spare)};
    if (!run)
        return {Verdict::Neutral,
                tr("The peak is %1 below %2. Checking PyTorch's allocator…").arg(spare, asked)};
    switch (run->status) {
    case run::RunStatus::Fails: return {Verdict::Bad, failing(choice, budget, leastBudget)};
    case run::RunStatus::RunsWithFlushes: return {Verdict::Slow, flushing(choice, budget)};
    case run::RunStatus::Runs: break;
    }
    const base::Bytes free =
        budget - std::max(plan.evaluation().peak, run->run.reserved + plan.problem().reserve);
    const bool isFaster =
        choice.expandable && stepTimeText(*choice.expandable->plan) != stepTimeText(plan);
    if (isFaster)
        return {
            Verdict::Good,
            tr("Runs with %1. With expandable segments a faster plan would run, too: %2 a step.")
                .arg(asked, stepTimeText(*choice.expandable->plan))};
    if (choice.passedOver)
        return {Verdict::Good, tr("Runs with %1. With faster plans PyTorch has to empty its cache, "
                                  "or runs out of memory.")
                                   .arg(asked)};
    QString left =
        tr("%1 to spare").arg(shortBytesText(std::max(free, base::Bytes{}), Rounding::Down));
    if (budget - free > plan.evaluation().peak) // which stands below
        left += tr(" after fragmentation");
    return {Verdict::Good, plan.plan().recomputesNothing()
                               ? tr("Fits %1 without a plan, %2.").arg(asked, left)
                               : tr("Runs with %1, %2.").arg(asked, left)};
}

QString runDetails(const run::PlanChoice& choice)
{
    QStringList sentences;
    if (choice.verdict)
        sentences << verdictDetails(choice);
    if (choice.passedOver && choice.passedOver->status)
        sentences << passedOverText(*choice.passedOver);
    sentences.removeAll(QString{});
    return sentences.join(u' ');
}

QString boundsText(const workspace::Planned& planned, const solve::Outcome& outcome)
{
    if (!outcome.best || outcome.best->plan().recomputesNothing())
        return {};
    if (outcome.status == solve::Status::Optimal)
        return tr("Proved: no plan of this kind is faster.");
    const QString bound = ui::bytesText(outcome.peakBound.bytes, Rounding::Up);
    const base::Nanoseconds unplanned = planned.unplanned->evaluation().stepTime;
    return outcome.timeBound <= unplanned
               ? tr("Not proved fastest. No plan goes below %1.").arg(bound)
               : tr("Not proved fastest: at best %1 is possible. No plan goes below %2.")
                     .arg(percentDifferenceText(slowDown(outcome.timeBound, unplanned)), bound);
}

} // namespace plimsoll::ui
