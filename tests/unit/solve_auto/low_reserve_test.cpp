// SPDX-License-Identifier: Apache-2.0
// The dominated plans that auto keeps, because PyTorch's allocator reserves less with them: against
// their definition, and against choosing among the plans of each planner that it runs.
#include "core/solve/auto/low_reserve.h"

#include "core/allocator/allocator_replay.h"
#include "core/run/choose_plan.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/unit/solve_auto/auto_parts.h"

#include <QTest>

#include <map>
#include <set>
#include <stop_token>

using namespace plimsoll;

namespace {

using tests::allParts;
using tests::autoOf;

/// What auto's parts found for a sample, and what it made of that.
struct Found
{
    tests::Parts parts = allParts();
    plan::FrontierPtr frontier;
};

const Found& foundFor(const QString& sample)
{
    static std::map<QString, Found> known;
    Found& found = known[sample];
    if (!found.frontier)
        found.frontier =
            autoOf(found.parts, 2)->frontier(tests::problemOf(sample, 0), {}, {}).value();
    return found;
}

/// Needed to run without cache flushes.
base::Bytes neededBy(const plan::FrontierPoint& plan, bool isExpandable)
{
    const run::DeviceRun run = run::runLoop(*plan, {.expandableSegments = isExpandable},
                                            allocator::AllocatorReplay::kUnlimited)
                                   .value();
    return std::max(run.reserved, plan->evaluation().peak);
}

class LowReserveTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatReservesLess_data();
    void keepsWhatReservesLess();
    void noPartRunsBetter_data();
    void noPartRunsBetter();
    void findsNothingWhereNothingIsToFind();
};

void LowReserveTest::keepsWhatReservesLess_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("resnet18") << QStringLiteral("resnet18");
    if (tests::isPlannedHere("unet"))
        QTest::newRow("unet") << QStringLiteral("unet");
}

/// A dominated plan is kept if and only if no faster or equally fast plan needs as little.
void LowReserveTest::keepsWhatReservesLess()
{
    QFETCH(QString, sample);
    const Found& found = foundFor(sample);
    using Figures = std::pair<std::int64_t, std::int64_t>; // step time, peak
    std::map<Figures, plan::FrontierPoint> all;
    for (const auto& part : found.parts)
        if (part->found())
            for (const plan::FrontierPoint& point : part->found()->points())
                all.insert(
                    {{point->evaluation().stepTime.count(), point->evaluation().peak.count()},
                     point});
    std::set<Figures> expected;
    for (const bool isExpandable : {false, true}) {
        base::Bytes least = plan::kUnlimited;
        for (const auto& [figures, plan] : all) {
            const base::Bytes needed = neededBy(plan, isExpandable);
            if (needed < least
                && found.frontier->at(plan->evaluation().peak)->evaluation().stepTime
                       < plan->evaluation().stepTime)
                expected.insert(figures);
            least = std::min(least, needed);
        }
    }
    std::set<Figures> kept;
    for (const plan::FrontierPoint& plan : found.frontier->dominated()) {
        kept.insert({plan->evaluation().stepTime.count(), plan->evaluation().peak.count()});
        QCOMPARE(plan.provenance->asked.planner, std::string{"auto"});
        QVERIFY(plan.provenance->madeBy().planner != "auto");
    }
    QVERIFY(!expected.empty());
    QVERIFY(kept == expected);
    QCOMPARE(kept.size(), found.frontier->dominated().size());
}

void LowReserveTest::noPartRunsBetter_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("isExpandable");
    for (const char* sample : {"resnet18", "unet"})
        for (const bool isExpandable : {false, true})
            if (tests::isPlannedHere(sample))
                QTest::addRow("%s%s", sample, isExpandable ? " expandable" : "")
                    << QString::fromLatin1(sample) << isExpandable;
}

/// Where a part's plan runs without flushes, auto's does, and is as fast.
void LowReserveTest::noPartRunsBetter()
{
    QFETCH(QString, sample);
    QFETCH(bool, isExpandable);
    const Found& found = foundFor(sample);
    const allocator::AllocatorSettings settings{.expandableSegments = isExpandable};
    const std::int64_t most =
        found.frontier->candidates().back()->evaluation().peak.count(); // keeps everything
    int compared = 0;
    for (const int percent : {120, 100, 90, 82, 76, 70, 64}) {
        const base::Bytes budget{most / 100 * percent};
        const auto chosen = [&](const plan::Frontier& frontier) {
            return run::choosePlan(frontier, settings, budget, run::Prefer::Runs, {}).value();
        };
        const run::PlanChoice choice = chosen(*found.frontier);
        for (const auto& part : found.parts) {
            if (!part->found())
                continue;
            const run::PlanChoice of = chosen(*part->found());
            if (!of.verdict || of.verdict->status != run::RunStatus::Runs)
                continue;
            ++compared;
            QVERIFY(choice.verdict && choice.verdict->status == run::RunStatus::Runs);
            QVERIFY(choice.plan->evaluation().stepTime <= of.plan->evaluation().stepTime);
        }
    }
    QVERIFY2(compared > 10, qPrintable(QString::number(compared)));
}

void LowReserveTest::findsNothingWhereNothingIsToFind()
{
    const Found& found = foundFor(QStringLiteral("resnet18"));
    const std::vector<plan::FrontierPoint>& kept = found.frontier->dominated();
    const std::vector<plan::FrontierPoint>& points = found.frontier->points();
    QVERIFY(solve::lowReservePlans(*found.frontier, {}, 2, {}).empty());
    // The frontier's own plans are equal to themselves.
    QVERIFY(solve::lowReservePlans(*found.frontier, points, 2, {}).empty());
    QCOMPARE(solve::lowReservePlans(*found.frontier, kept, 1, {}).size(), kept.size());
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(solve::lowReservePlans(*found.frontier, kept, 2, {.stop = stop.get_token()}).empty());
}

} // namespace

PLIMSOLL_TEST(LowReserveTest, plimsoll::tests::NoApplication)
#include "low_reserve_test.moc"
