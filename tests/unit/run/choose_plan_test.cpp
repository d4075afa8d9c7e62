// SPDX-License-Identifier: Apache-2.0
// Which plan is taken so that it runs: against trying every plan of a real model's frontier.
#include "core/run/choose_plan.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace plimsoll;
using run::RunStatus;
using tests::frontierOf;

namespace {

class ChoosePlanTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesTheFastestThatRuns_data();
    void takesTheFastestThatRuns();
    void theTableTellsWhatRunsWithoutFlushes();
    void aTableForExpandableSegmentsIsReplayed();
    void aTableGrowsFromAnother();
    void nothingFits();
    void isCancelled();
};

void ChoosePlanTest::takesTheFastestThatRuns_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("isExpandable");
    for (const char* sample : {"resnet18", "unet", "gpt2_prompt"})
        for (const bool isExpandable : {false, true}) {
            if (!tests::isPlannedHere(sample))
                continue;
            QTest::addRow("%s%s", sample, isExpandable ? " expandable" : "")
                << QString::fromLatin1(sample) << isExpandable;
        }
}

/// Places in the frontier of the fastest plans that run without flushes, and with them.
struct Expected
{
    std::optional<std::size_t> running;
    std::optional<std::size_t> flushing;
    std::optional<std::size_t> fitting;
};

Expected expected(const plan::Frontier& frontier, const allocator::AllocatorSettings& settings,
                  base::Bytes budget)
{
    Expected found;
    for (std::size_t i = 0; i < frontier.points().size(); ++i) { // slow ones first
        const plan::FrontierPoint& point = frontier.points()[i];
        if (point->evaluation().peak > budget)
            continue;
        const base::Result<run::RunVerdict> verdict = run::willRun(*point, settings, budget, {});
        if (verdict->status == RunStatus::Runs)
            found.running = i;
        else if (verdict->status == RunStatus::RunsWithFlushes)
            found.flushing = i;
        found.fitting = i;
    }
    return found;
}

/// The best plan with expandable segments is told where it is better than the choice without them.
void compareExpandable(const run::PlanChoice& choice, const plan::Frontier& frontier,
                       base::Bytes budget)
{
    const Expected best = expected(frontier, {.expandableSegments = true}, budget);
    const RunStatus status = best.running    ? RunStatus::Runs
                             : best.flushing ? RunStatus::RunsWithFlushes
                                             : RunStatus::Fails;
    const std::size_t place = best.running.value_or(best.flushing.value_or(*best.fitting));
    const plan::FrontierPoint& plan = frontier.points()[place];
    const bool isBetter = status < choice.verdict->status
                          || (status == choice.verdict->status && status != RunStatus::Fails
                              && plan->evaluation().stepTime < choice.plan->evaluation().stepTime);
    QCOMPARE(choice.expandable.has_value(), isBetter);
    if (!isBetter)
        return;
    QVERIFY(choice.expandable->status == status);
    QVERIFY(choice.expandable->plan->evaluationPtr() == plan->evaluationPtr());
}

void ChoosePlanTest::takesTheFastestThatRuns()
{
    QFETCH(QString, sample);
    QFETCH(bool, isExpandable);
    const plan::FrontierPtr frontier = frontierOf(sample);
    const allocator::AllocatorSettings settings{.expandableSegments = isExpandable};
    const base::Result<run::ReservedTablePtr> table =
        run::reservedTable(frontier, settings, nullptr, {});
    QVERIFY(table);
    const std::int64_t low = frontier->points().front()->evaluation().peak.count();
    const std::int64_t high = frontier->points().back()->evaluation().peak.count();
    std::set<RunStatus> seen;
    const int stride = tests::kSanitized ? 4 : tests::isExhaustive() ? 1 : 2;
    for (int i = 0; i <= 12; i += stride) {
        const base::Bytes budget{i == 12 ? 2 * high : low + (high - low) / 10 * i};
        const Expected best = expected(*frontier, settings, budget);
        for (const run::ReservedTablePtr& known : {run::ReservedTablePtr{}, *table}) {
            const base::Result<run::PlanChoice> choice =
                run::choosePlan(*frontier, settings, budget, run::Prefer::Runs, {}, known);
            QVERIFY(choice && choice->plan && choice->verdict);
            const std::size_t place = best.running.value_or(best.flushing.value_or(*best.fitting));
            QVERIFY(choice->plan->evaluationPtr() == frontier->points()[place]->evaluationPtr());
            QCOMPARE(choice->plan->problem().budget.count(), budget.count());
            QVERIFY(choice->verdict->status
                    == (best.running    ? RunStatus::Runs
                        : best.flushing ? RunStatus::RunsWithFlushes
                                        : RunStatus::Fails));
            QCOMPARE(choice->passedOver ? choice->passedOver->count : 0, *best.fitting - place);
            if (choice->passedOver)
                QVERIFY(*choice->passedOver->status
                        == run::runStatus(*frontier->at(budget), settings, budget, {}).value());
            seen.insert(choice->verdict->status);
            if (isExpandable)
                QVERIFY(!choice->expandable);
            else
                compareExpandable(*choice, *frontier, budget);
        }
        const base::Result<run::PlanChoice> fastest =
            run::choosePlan(*frontier, settings, budget, run::Prefer::Fastest, {});
        QVERIFY(fastest->plan->evaluationPtr() == frontier->at(budget)->evaluationPtr());
        QVERIFY(!fastest->passedOver && !fastest->expandable);
    }
    QVERIFY(seen.contains(RunStatus::Runs));
}

void ChoosePlanTest::theTableTellsWhatRunsWithoutFlushes()
{
    const plan::FrontierPtr frontier = frontierOf(QStringLiteral("resnet18"));
    const run::ReservedTablePtr table = run::reservedTable(frontier, {}, nullptr, {}).value();
    QCOMPARE(table->reserved.size(), frontier->points().size());
    for (std::size_t i = 0; i < table->reserved.size(); ++i) {
        const plan::VerifiedPlan& plan = *frontier->points()[i];
        const base::Bytes needed = table->reserved[i];
        QVERIFY(needed >= plan.evaluation().peak);
        QVERIFY(run::runStatus(plan, {}, needed, {}).value() == RunStatus::Runs);
        QVERIFY(run::runStatus(plan, {}, needed - base::Bytes{1}, {}).value() != RunStatus::Runs);
        const std::optional<std::size_t> fastest = table->fastestWithin(needed);
        QVERIFY(fastest && *fastest >= i && table->reserved[*fastest] <= needed);
    }
    QVERIFY(!table->fastestWithin(*std::ranges::min_element(table->reserved) - base::Bytes{1}));
}

/// Where a segment's room depends on the device, what is reserved without a limit may not suffice.
void ChoosePlanTest::aTableForExpandableSegmentsIsReplayed()
{
    const allocator::AllocatorSettings settings{.expandableSegments = true};
    for (const char* sample : {"resnet18", "unet"}) {
        if (!tests::isPlannedHere(sample))
            continue;
        const plan::FrontierPtr frontier = frontierOf(QString::fromLatin1(sample));
        const run::ReservedTablePtr table =
            run::reservedTable(frontier, settings, nullptr, {}).value();
        for (std::size_t i = 0; i < table->reserved.size(); ++i) {
            const plan::VerifiedPlan& plan = *table->plans[i];
            const base::Bytes reserved = *run::reservedBy(plan, settings, {});
            QVERIFY(table->reserved[i] >= reserved
                    && table->reserved[i].count() < 2 * reserved.count());
            QVERIFY(run::runStatus(plan, settings, table->reserved[i], {}).value()
                    == RunStatus::Runs);
            QVERIFY(table->reserved[i] == reserved
                    || run::runStatus(plan, settings, reserved, {}).value() != RunStatus::Runs);
        }
    }
}

void ChoosePlanTest::aTableGrowsFromAnother()
{
    const plan::FrontierPtr frontier = frontierOf(QStringLiteral("resnet18"));
    const run::ReservedTablePtr table = run::reservedTable(frontier, {}, nullptr, {}).value();
    auto fewer = std::make_shared<plan::Frontier>();
    for (std::size_t i = 0; i < frontier->points().size(); i += 2)
        fewer->insert(frontier->points()[i]);
    const run::ReservedTablePtr part = run::reservedTable(fewer, {}, table, {}).value();
    QCOMPARE(part->reserved.size(), fewer->points().size());
    for (std::size_t i = 0; i < part->reserved.size(); ++i)
        QVERIFY(part->reserved[i] == table->reserved[2 * i]);
    QVERIFY(run::reservedTable(frontier, {}, part, {}).value()->reserved == table->reserved);
    // Rows of other settings are no use.
    const allocator::AllocatorSettings expandable{.expandableSegments = true};
    QVERIFY(run::reservedTable(frontier, expandable, table, {}).value()->reserved
            != table->reserved);
}

void ChoosePlanTest::nothingFits()
{
    const plan::FrontierPtr frontier = frontierOf(QStringLiteral("resnet18"));
    const base::Result<run::PlanChoice> none =
        run::choosePlan(*frontier, {}, base::Bytes{1}, run::Prefer::Runs, {});
    QVERIFY(none && !none->plan && !none->verdict && !none->passedOver);
}

void ChoosePlanTest::isCancelled()
{
    std::stop_source over;
    over.request_stop();
    const base::JobContext stopped{.stop = over.get_token()};
    const plan::FrontierPtr frontier = frontierOf(QStringLiteral("resnet18"));
    const auto choice =
        run::choosePlan(*frontier, {}, plan::kUnlimited, run::Prefer::Runs, stopped);
    QVERIFY(!choice && choice.error().kind == base::ErrorKind::Cancelled);
    const auto table = run::reservedTable(frontier, {}, nullptr, stopped);
    QVERIFY(!table && table.error().kind == base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(ChoosePlanTest, QCoreApplication)
#include "choose_plan_test.moc"
