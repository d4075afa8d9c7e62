// SPDX-License-Identifier: Apache-2.0
// Checkpointing without nesting: bytes counted on storages against the evaluation, choices against
// brute force.
#include "core/solve/chain/single_level.h"

#include "core/solve/regions/region_space.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/programs/schedules.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;

namespace {

class SingleLevelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gainsAreTheEvaluations_data();
    void gainsAreTheEvaluations();
    void choicesAreTheBestOfAll();
};

void SingleLevelTest::gainsAreTheEvaluations_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("ResNet-18") << "resnet18";
    QTest::newRow("DenseNet-121") << "densenet121";
    QTest::newRow("GPT-2") << "gpt2";
}

void SingleLevelTest::gainsAreTheEvaluations()
{
    QFETCH(QString, name);
    const plan::Problem problem = tests::problemOf(name, plan::kUnlimited.count());
    const auto space = solve::makeRegionSpace(*problem.step(), plan::Granularity::Module);
    const solve::LinearizedStep step =
        solve::linearize(problem, *space, solve::Residuals::EachCut).value();
    const solve::RegionGains gains{problem, step};
    const base::Bytes everything =
        tests::heldForBackward(problem, *plan::evaluate(problem, plan::keepEverything())->schedule);
    int differ = 0;
    int spares = 0;
    for (std::size_t first = 0; first < step.stages.size(); ++first) {
        for (std::size_t last = first; last < step.stages.size(); ++last) {
            if (!step.chain.regions.mayCheckpoint(first, last))
                continue;
            plan::Region region;
            region.first = step.stages[first].first;
            region.last = step.stages[last].last;
            region.members = space->members(region.first, region.last);
            plan::Plan plan = plan::keepEverything();
            plan.asRegions().regions = {region};
            const plan::EvaluationPtr evaluated = plan::evaluate(problem, plan);
            const base::Bytes spared =
                everything - tests::heldForBackward(problem, *evaluated->schedule);
            const solve::RegionGain gain = gains.of(first, last);
            spares += gain.spared > 0 ? 1 : 0;
            if (spared.count() == gain.spared
                && static_cast<double>(evaluated->recomputeTime.count()) == gain.time)
                continue;
            ++differ;
            qWarning("ops %d-%d in %s: %lld bytes in %.0f ns, evaluated %lld in %lld", region.first,
                     region.last, step.stages[first].module.c_str(),
                     static_cast<long long>(gain.spared), gain.time,
                     static_cast<long long>(spared.count()),
                     static_cast<long long>(evaluated->recomputeTime.count()));
        }
    }
    QVERIFY(spares > 10);
    QCOMPARE(differ, 0);
}

struct Sum
{
    std::int64_t spared = 0;
    double time = 0;
};

/// Every choice of disjoint legal runs among the stages from `begin` on.
void everyChoice(const solve::LinearizedStep& step, const solve::RegionGains& gains,
                 std::size_t begin, Sum sum, std::vector<Sum>& all)
{
    all.push_back(sum);
    for (std::size_t first = begin; first < step.stages.size(); ++first)
        for (std::size_t last = first; last < step.stages.size(); ++last) {
            const solve::RegionGain gain = gains.of(first, last);
            if (step.chain.regions.mayCheckpoint(first, last) && gain.spared > 0)
                everyChoice(step, gains, last + 1, {sum.spared + gain.spared, sum.time + gain.time},
                            all);
        }
}

/// On random programs: whatever bytes some choice spares, one that is at least as fast and spares
/// no less (but for a bucket) is among the answers.
void SingleLevelTest::choicesAreTheBestOfAll()
{
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const plan::Problem problem = tests::unlimitedProblem(tests::randomProgram(seed));
        const auto space = solve::makeRegionSpace(*problem.step(), plan::Granularity::Module);
        const solve::LinearizedStep step =
            solve::linearize(problem, *space, solve::Residuals::EachCut, 12).value();
        const solve::RegionGains gains{problem, step};
        std::vector<Sum> all;
        everyChoice(step, gains, 0, {}, all);
        std::vector<Sum> answers{{}};
        for (const std::vector<solve::Region>& regions :
             solve::singleLevelRegions(problem, step, {})) {
            Sum& sum = answers.emplace_back();
            int end = -1;
            for (const solve::Region& region : regions) {
                QVERIFY(region.first > end && region.last >= region.first);
                end = region.last;
                const auto first = static_cast<std::size_t>(region.first);
                const auto last = static_cast<std::size_t>(region.last);
                QVERIFY(step.chain.regions.mayCheckpoint(first, last));
                sum.spared += gains.of(first, last).spared;
                sum.time += gains.of(first, last).time;
            }
            QVERIFY(sum.spared > answers[answers.size() - 2].spared);
        }
        std::int64_t most = 0;
        for (const Sum& sum : all)
            most = std::max(most, sum.spared);
        const std::int64_t bucket = most / 8192 + 1;
        for (const Sum& sum : all) {
            const auto best = std::find_if(answers.begin(), answers.end(), [&](const Sum& answer) {
                return answer.spared > sum.spared - bucket * static_cast<std::int64_t>(12)
                       && answer.time <= sum.time * (1 + 1e-12);
            });
            QVERIFY(best != answers.end());
            ++compared;
        }
    }
    qInfo("%d choices", compared);
    QVERIFY(compared > 1000);
}

} // namespace

PLIMSOLL_TEST(SingleLevelTest, QCoreApplication)
#include "single_level_test.moc"
