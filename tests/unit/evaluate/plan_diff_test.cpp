// SPDX-License-Identifier: Apache-2.0
// Which decisions differ between plans of a frontier, and what is cheapest to save next.
#include "core/evaluate/plan_diff.h"

#include "tests/support/planned_samples.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <utility>

using namespace plimsoll;

namespace {

/// Time that each value takes in recomputations.
using Times = std::map<std::pair<std::size_t, std::size_t>, std::int64_t>;

Times timesOf(const plan::VerifiedPlan& plan)
{
    Times times;
    for (const plan::Recomputed& row : plan.evaluation().recomputed)
        times[{row.op.index(), row.storage.index()}] += row.time.count();
    return times;
}

class PlanDiffTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void flippingLeadsFromOnePlanToTheOther_data();
    void flippingLeadsFromOnePlanToTheOther();
    void theFirstDescentRecomputesOnly();
    void theNextGibibyteIsTheFastestPlanWithIt();
    void nothingIsBelowTheSmallestPlan();
};

void PlanDiffTest::flippingLeadsFromOnePlanToTheOther_data()
{
    QTest::addColumn<QString>("sample");
    QTest::newRow("ResNet-18") << QStringLiteral("resnet18");
    QTest::newRow("GPT-2") << QStringLiteral("gpt2");
}

void PlanDiffTest::flippingLeadsFromOnePlanToTheOther()
{
    QFETCH(QString, sample);
    const std::vector<plan::FrontierPoint>& points = tests::frontierOf(sample)->points();
    std::size_t keptAgain = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const plan::VerifiedPlan& from = *points[i];
        const plan::CheaperPlan way = plan::cheaperPlan(from, points[i - 1]);
        QVERIFY(way.to == points[i - 1] && way.saved > base::Bytes{});
        QCOMPARE(way.saved.count(),
                 (from.evaluation().peak - points[i - 1]->evaluation().peak).count());
        QCOMPARE(way.extraTime.count(),
                 (points[i - 1]->evaluation().stepTime - from.evaluation().stepTime).count());
        Times times = timesOf(from);
        for (const plan::DecisionChange& flip : way.changes) {
            const auto value = std::pair{flip.value.op.index(), flip.value.storage.index()};
            const bool wasThere = times.contains(value);
            QCOMPARE(wasThere, flip.decision != plan::Decision::Recompute);
            times[value] += flip.change.count();
            if (flip.decision == plan::Decision::Keep) {
                QCOMPARE(times[value], 0);
                times.erase(value);
                ++keptAgain;
            }
        }
        QVERIFY(times == timesOf(*points[i - 1]));
    }
    QVERIFY(keptAgain > 0); // a smaller plan isn't just a larger one with more
}

void PlanDiffTest::theFirstDescentRecomputesOnly()
{
    const std::vector<plan::FrontierPoint>& points =
        tests::frontierOf(QStringLiteral("resnet18"))->points();
    QVERIFY(points.back()->plan().recomputesNothing());
    const plan::CheaperPlan way = plan::cheaperPlan(*points.back(), points[points.size() - 2]);
    QVERIFY(!way.changes.empty());
    for (const plan::DecisionChange& flip : way.changes)
        QCOMPARE(plan::decisionName(flip.decision), "recompute");
    constexpr double kGibibyte = 1 << 30;
    QCOMPARE(way.nanosecondsPerGibibyte() * static_cast<double>(way.saved.count()) / kGibibyte,
             static_cast<double>(way.extraTime.count()));
}

void PlanDiffTest::theNextGibibyteIsTheFastestPlanWithIt()
{
    constexpr std::int64_t kGibibyte = std::int64_t{1} << 30U;
    const plan::FrontierPtr frontier = tests::frontierOf(QStringLiteral("gpt2"));
    for (const plan::VerifiedPlanPtr& from : frontier->points()) {
        const std::int64_t peak = from->evaluation().peak.count();
        const std::int64_t wanted = std::min(kGibibyte, peak / 10);
        std::optional<std::int64_t> fastest;
        for (const plan::VerifiedPlanPtr& point : frontier->points())
            if (point->evaluation().peak.count() <= peak - wanted)
                fastest = std::min(fastest.value_or(point->evaluation().stepTime.count()),
                                   point->evaluation().stepTime.count());
        const std::vector<plan::CheaperPlan> ways = plan::cheapestPlans(*frontier, *from, 3);
        const plan::CheaperPlan way = ways.empty() ? plan::CheaperPlan{} : ways.front();
        if (fastest) {
            QVERIFY(way.to && way.saved.count() >= wanted);
            QCOMPARE(way.to->evaluation().stepTime.count(), *fastest);
        } else {
            QVERIFY(frontier->points().front() == from || way.to == frontier->points().front());
        }
        for (std::size_t i = 1; i < ways.size(); ++i) { // each as much more again
            QVERIFY(ways[i].saved > ways[i - 1].saved);
            QVERIFY(ways[i].saved.count() / wanted > ways[i - 1].saved.count() / wanted
                    || ways[i].to == frontier->points().front());
            QCOMPARE(ways[i].to,
                     ways[i].to == frontier->points().front()
                         ? ways[i].to
                         : frontier->at(base::Bytes{
                             peak - (ways[i - 1].saved.count() / wanted + 1) * wanted}));
        }
        QVERIFY(ways.size() == 3 || ways.empty() || ways.back().to == frontier->points().front());
    }
}

void PlanDiffTest::nothingIsBelowTheSmallestPlan()
{
    const plan::FrontierPtr frontier = tests::frontierOf(QStringLiteral("resnet18"));
    QVERIFY(plan::cheapestPlans(*frontier, *frontier->points().front(), 1).empty());
    QVERIFY(plan::cheapestPlans({}, *frontier->points().back(), 1).empty());
}

} // namespace

PLIMSOLL_TEST(PlanDiffTest, plimsoll::tests::NoApplication)
#include "plan_diff_test.moc"
