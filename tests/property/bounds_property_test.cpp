// SPDX-License-Identifier: Apache-2.0
// Proven bounds against random legal plans; the planner's legal regions against verify().
#include "core/evaluate/bound.h"
#include "core/evaluate/certify.h"
#include "core/solve/bounds/time_bound.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/region_space.h"

#include "tests/support/programs/programs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <ctime>
#include <numeric>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 2000 / tests::kShare;

plan::Problem problemOf(const graph::ProgramPtr& program, base::Bytes budget)
{
    plan::Device device;
    device.bandwidth = 1e9;
    device.flops = {{"float32", 1e9}};
    device.launchLatency = base::Nanoseconds{10};
    return {program, device, budget, base::Bytes{1000}, graph::Rounding::Exact};
}

class BoundsPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void noLegalPlanIsBelowTheBounds();
    void noLegalPlanOfTheStepRuntimeIsBelowTheBounds();
    void theWorkingSetAddsUpToTheBound();
    void everyRegionFoundIsLegal();
    void thousandsOfDeeplyNestedCallsAreAMomentsWork();
    void thousandsOfOpsWithoutModulesAreAMomentsWork();
    void aPlanIsCertifiedAtItsPeakAndRefusedBelow();
};

void BoundsPropertyTest::noLegalPlanIsBelowTheBounds()
{
    std::size_t recomputing = 0;
    std::size_t slower = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem unlimited = problemOf(program, plan::kUnlimited);
        plan::Plan plan = seed % 2 == 0 ? tests::randomLegalPlan(*program, seed)
                                        : tests::randomOpPlan(*program, seed);
        if (seed % 4 >= 2)
            plan = tests::withRandomSaves(*program, std::move(plan), seed);
        const plan::EvaluationPtr evaluation = plan::evaluate(unlimited, plan);
        recomputing += evaluation->recomputeTime.count() > 0 ? 1U : 0U;
        QVERIFY2(plan::peakLowerBound(unlimited).bytes <= evaluation->peak,
                 qPrintable(QString::number(seed)));
        const base::Nanoseconds bound =
            solve::stepTimeLowerBound(problemOf(program, evaluation->peak));
        QVERIFY2(bound <= evaluation->stepTime, qPrintable(QString::number(seed)));
        const base::Nanoseconds recorded =
            plan::evaluate(unlimited, plan::keepEverything())->stepTime;
        QVERIFY(bound >= recorded);
        slower += bound > recorded ? 1U : 0U;
    }
    qInfo("%zu plans recompute; the time bound says so in %zu cases", recomputing, slower);
    QVERIFY(recomputing > kPrograms / 2);
    QVERIFY(slower > 0);
}

void BoundsPropertyTest::noLegalPlanOfTheStepRuntimeIsBelowTheBounds()
{
    std::size_t repeating = 0;
    std::size_t slower = 0;
    double share = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem unlimited = problemOf(program, plan::kUnlimited);
        const plan::EvaluationPtr evaluation =
            plan::evaluate(unlimited, tests::randomStepPlan(*program, seed));
        plan::Plan plain;
        plain.decisions = plan::RecomputeSchedule{};
        const plan::EvaluationPtr recorded = plan::evaluate(unlimited, plain);
        const plan::Problem tight = problemOf(program, evaluation->peak);
        const base::Nanoseconds bound =
            solve::stepTimeLowerBound(tight, plan::Runtime::CompiledStep);
        QVERIFY2(plan::peakLowerBound(tight, plan::Runtime::CompiledStep).bytes <= evaluation->peak,
                 qPrintable(QString::number(seed)));
        QVERIFY2(bound <= evaluation->stepTime, qPrintable(QString::number(seed)));
        QVERIFY(bound >= recorded->stepTime);
        QCOMPARE(solve::stepTimeLowerBound(problemOf(program, recorded->peak),
                                           plan::Runtime::CompiledStep),
                 recorded->stepTime);
        if (evaluation->recomputeTime.count() == 0 || evaluation->peak >= recorded->peak)
            continue;
        ++repeating;
        slower += bound > recorded->stepTime ? 1U : 0U;
        share += static_cast<double>((bound - recorded->stepTime).count())
                 / static_cast<double>(evaluation->recomputeTime.count());
    }
    qInfo("%zu plans repeat to a smaller peak; the time bound says so in %zu cases, with %.3f of "
          "what they repeat",
          repeating, slower, share / static_cast<double>(repeating));
    QVERIFY(repeating > kPrograms / 20);
    QVERIFY(slower > repeating / 4);
}

void BoundsPropertyTest::theWorkingSetAddsUpToTheBound()
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::PeakBound bound = plan::peakLowerBound(problemOf(program, plan::kUnlimited));
        base::Bytes sum{1000};
        for (const graph::StorageId storage : bound.storages)
            sum += program->storage(storage).bytes;
        QCOMPARE(sum.count(), bound.bytes.count());
    }
}

void BoundsPropertyTest::everyRegionFoundIsLegal()
{
    std::size_t regions = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program =
            seed % 4 == 0 ? tests::randomGatedProgram(seed) : tests::randomProgram(seed);
        const plan::Problem problem = problemOf(program, plan::kUnlimited);
        const auto space = solve::makeRegionSpace(*program, plan::Granularity::Module);
        const auto ops = static_cast<graph::OpIndex>(program->forwardCount());
        for (graph::OpIndex at = 0; at < ops * ops; ++at) {
            const graph::OpIndex first = at / ops;
            const graph::OpIndex last = at % ops;
            const std::vector<graph::CallId> members = space->members(first, last);
            const std::vector<graph::OpIndex> ends = space->endsFrom(first);
            QCOMPARE(std::binary_search(ends.begin(), ends.end(), last), !members.empty());
            if (members.empty())
                continue;
            plan::Plan plan;
            plan.asRegions().regions = {{members, first, last, 0, {}, {}}};
            const base::Result<plan::VerifiedPlanPtr> verified = plan::certify(problem, plan);
            QVERIFY2(verified,
                     qPrintable(QStringLiteral("seed %1, ops %2..%3: %4")
                                    .arg(seed)
                                    .arg(first)
                                    .arg(last)
                                    .arg(QString::fromStdString(
                                        verified ? std::string{} : verified.error().message))));
            ++regions;
        }
    }
    qInfo("%zu regions", regions);
    QVERIFY(regions > 1000);
}

double secondsOf(const auto& work)
{
    const std::clock_t begin = std::clock();
    const bool isDone = work();
    return isDone ? static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC : 1e9;
}

/// The part of a search that can't be stopped, compared with a plan without regions: sanitizers
/// slow both.
void BoundsPropertyTest::thousandsOfDeeplyNestedCallsAreAMomentsWork()
{
    constexpr std::size_t kCalls = 3000;
    constexpr std::size_t kDepth = plan::kMostNested;
    const graph::ProgramPtr program = tests::longChain(kCalls);
    const plan::Problem problem = problemOf(program, plan::kUnlimited);
    std::vector<plan::Region> nested;
    for (std::size_t depth = kDepth; depth-- > 0;) {
        std::vector<std::size_t> calls(kCalls - depth * kCalls / kDepth);
        std::iota(calls.begin(), calls.end(), depth * kCalls / kDepth);
        nested = {tests::regionOf(*program, calls, nested)};
    }
    plan::Plan deep;
    deep.asRegions().regions = nested;
    const double plain =
        secondsOf([&] { return plan::certify(problem, plan::keepEverything()).has_value(); });
    const double planned = secondsOf([&] { return plan::certify(problem, deep).has_value(); });
    const double stages = secondsOf([&] {
        const auto space = solve::makeRegionSpace(*program, plan::Granularity::Module);
        return solve::linearize(problem, *space, solve::Residuals::EachCut).has_value();
    });
    qInfo("%.3f s plain, %.3f s nested, %.3f s for the chain", plain, planned, stages);
    QVERIFY(planned < 20 * plain);
    QVERIFY(stages < 20 * plain);
}

/// Between ops, such as of a recurrent layer over hundreds of time steps: what the search does for
/// each of hundreds of proposals, against a plan between modules.
void BoundsPropertyTest::thousandsOfOpsWithoutModulesAreAMomentsWork()
{
    const graph::ProgramPtr program = tests::oneModule(*tests::longChain(5000));
    const plan::Problem problem = problemOf(program, plan::kUnlimited);
    plan::Plan ops;
    ops.asRegions().granularity = plan::Granularity::Op;
    std::vector<plan::Region>& each = ops.asRegions().regions;
    for (graph::OpIndex first = 0; first < 10'000; first += 1000)
        each.push_back({.members = {},
                        .first = first,
                        .last = first + 499,
                        .label = static_cast<int>(each.size()),
                        .nested = {},
                        .save = {}});
    const double plain =
        secondsOf([&] { return plan::certify(problem, plan::keepEverything()).has_value(); });
    const double planned = secondsOf([&] { return plan::certify(problem, ops).has_value(); });
    const double regions = secondsOf([&] {
        return solve::makeRegionSpace(*program, plan::Granularity::Op)->endsFrom(0).size()
               == 10'000;
    });
    qInfo("%.3f s plain, %.3f s between ops, %.3f s for the regions", plain, planned, regions);
    QVERIFY(planned < 8 * plain);
    QVERIFY(regions < 8 * plain);
}

void BoundsPropertyTest::aPlanIsCertifiedAtItsPeakAndRefusedBelow()
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Plan plan = tests::randomLegalPlan(*program, seed);
        const base::Bytes peak = plan::evaluate(problemOf(program, plan::kUnlimited), plan)->peak;
        const base::Result<plan::VerifiedPlanPtr> exact =
            plan::certify(problemOf(program, peak), plan);
        QVERIFY(exact);
        QCOMPARE((*exact)->evaluation().peak.count(), peak.count());
        QVERIFY(!plan::certify(problemOf(program, peak - base::Bytes{1}), plan));
        QVERIFY(!plan::withBudget(**exact, peak - base::Bytes{1}));
        QVERIFY(plan::withBudget(**exact, peak + base::Bytes{1}));
    }
}

} // namespace

PLIMSOLL_TEST(BoundsPropertyTest, QCoreApplication)
#include "bounds_property_test.moc"
