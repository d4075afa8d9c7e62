// SPDX-License-Identifier: Apache-2.0
// Ways to run the stages of shipped samples, and what they bring over running each in one way.
#include "core/solve/chain/stage_variants.h"

#include "core/solve/regions/region_space.h"

#include "tests/support/planned_samples.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using tests::problemOf;

namespace {

class StageVariantsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepLessForMoreTime();
    void beatOneWay_data();
    void beatOneWay();
};

void StageVariantsTest::keepLessForMoreTime()
{
    const plan::Problem problem = problemOf("bert", 0);
    const auto space = solve::makeRegionSpace(problem, plan::Granularity::Module);
    auto step = solve::linearize(problem, *space, solve::Residuals::EachCut, 48);
    QVERIFY(step);
    const solve::SavedByVariant kept = solve::addStageVariants(problem, *step);
    QVERIFY(solve::validate(step->chain));
    std::size_t stages = 0;
    for (std::size_t stage = 0; stage < step->stages.size(); ++stage) {
        const std::size_t count = step->chain.variantsOf(stage);
        QCOMPARE(kept[stage].size(), count - 1);
        stages += count > 3 ? 1 : 0;
        if (count > 1)
            QVERIFY(step->chain.regions.mayCheckpoint(stage, stage));
        solve::StageVariant before = step->chain.variant(stage, 0);
        for (std::size_t number = count; --number > 0;) { // from the one that keeps most
            const solve::StageVariant variant = step->chain.variant(stage, number);
            QVERIFY(variant.xbar <= before.xbar && variant.xbar >= step->chain.x[stage + 1]);
            QVERIFY(variant.btime >= before.btime);
            QVERIFY(variant.btmp >= before.btmp);
            before = variant;
            for (const graph::OpId op : kept[stage][number - 1]) {
                const auto at = static_cast<graph::OpIndex>(op.index());
                QVERIFY(at >= step->stages[stage].first && at <= step->stages[stage].last);
            }
        }
    }
    QVERIFY(stages >= 12); // one in each layer
}

void StageVariantsTest::beatOneWay_data()
{
    QTest::addColumn<QString>("sample");
    QTest::addColumn<bool>("isStep");
    QTest::addColumn<double>("mostOverhead"); // part of the mean overhead of one way
    QTest::newRow("bert") << "bert" << false << 0.75;
    if (tests::kSanitized)
        return;
    QTest::newRow("bert, step") << "bert" << true << 0.65;
    QTest::newRow("llama") << "llama" << false << 0.75;
}

void StageVariantsTest::beatOneWay()
{
    QFETCH(QString, sample);
    QFETCH(bool, isStep);
    QFETCH(double, mostOverhead);
    const plan::Problem problem = problemOf(sample, 0);
    const auto planner = solve::makeRotorPlanner();
    solve::Options options{{"runtime", isStep ? 1 : 0}};
    const plan::FrontierPtr one = planner->frontier(problem, options, {}).value();
    options["ways"] = 1;
    const plan::FrontierPtr several = planner->frontier(problem, options, {}).value();
    const std::int64_t most = one->points().back()->evaluation().peak.count();
    const std::int64_t fastest = one->points().back()->evaluation().stepTime.count();
    const std::int64_t least = one->points().front()->evaluation().peak.count();
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (int percent = 5; percent < 100; percent += 5) {
        const base::Bytes budget{least + (most - least) / 100 * percent};
        const std::int64_t plain = one->at(budget)->evaluation().stepTime.count();
        const std::int64_t mixed = several->at(budget)->evaluation().stepTime.count();
        QVERIFY(mixed <= plain);
        before += plain - fastest;
        after += mixed - fastest;
    }
    const double part = static_cast<double>(after) / static_cast<double>(before);
    qInfo("%.3f of the overhead of one way", part);
    QVERIFY(part <= mostOverhead);
}

} // namespace

PLIMSOLL_TEST(StageVariantsTest, QCoreApplication)
#include "stage_variants_test.moc"
