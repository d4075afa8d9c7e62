// SPDX-License-Identifier: Apache-2.0
#include "core/compare/against_plan.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;
using base::Bytes;

namespace {

/// x -> y -> z, then a backward that needs y; y is made again with the plan.
graph::ProgramPtr program()
{
    using graph::Phase;
    using graph::StorageClass;
    return tests::aProgram()
        .storage("x", 1000, StorageClass::Input)
        .storage("y", 400, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 2})
        .storage("z", 50, StorageClass::Activation, {.alloc = 1, .python = 2, .free = 2})
        .op("aten.exp", {.reads = {"x"}, .outputs = {"y"}})
        .op("aten.relu", {.reads = {"y"}, .outputs = {"z"}})
        .op("aten.threshold_backward", {.reads = {"y", "z"}, .phase = Phase::Backward})
        .call("", 0, 1, {"x"}, {"z"})
        .call("act", 0, 1, {"x"}, {"z"})
        .saved("y", 1, {.unpack = 2, .dropped = 2, .released = 2})
        .build();
}

plan::Problem problemOf(graph::ProgramPtr of)
{
    plan::Problem problem{std::move(of), plan::Device{}, Bytes{std::int64_t{1} << 40}, Bytes{},
                          graph::Rounding::Exact};
    problem.device.launchLatency = base::Nanoseconds{10};
    problem.device.bandwidth = 1e18;
    return problem;
}

compare::MeasuredOp ran(std::uint32_t target, std::int64_t live, std::optional<std::int64_t> held)
{
    compare::MeasuredOp op;
    op.target = target;
    op.live = Bytes{live};
    op.time = base::Nanoseconds{3};
    if (held)
        op.allocator = Bytes{*held};
    return op;
}

compare::MeasuredRun unplannedRun()
{
    compare::MeasuredRun run;
    run.stepTime = base::Nanoseconds{40};
    run.resident = Bytes{1000};
    run.saved = Bytes{400};
    run.livePeak = Bytes{1450};
    run.allocatorPeak = Bytes{1500};
    run.targets = {"aten.exp", "aten.relu", "aten.threshold_backward"};
    run.ops = {ran(0, 1400, 1400), ran(1, 1450, 1500), ran(2, 1450, std::nullopt)};
    return run;
}

const compare::Row& row(const compare::Comparison& comparison, const char* name)
{
    return *std::find_if(comparison.rows.begin(), comparison.rows.end(),
                         [&](const compare::Row& each) { return each.name == name; });
}

class AgainstPlanTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersStandBesideEachOther();
    void scratchIsInTheAllocatorsPeakAlone();
    void largestGapsComeFirst();
    void otherOpsAreNamed_data();
    void otherOpsAreNamed();
    void recomputationsArePartOfTheStep();
    void withoutOpsThereIsNoCurve();
    void roundsAsTheBackendDoes();
    void tellsWhatIsOfAnotherStep();
};

void AgainstPlanTest::numbersStandBesideEachOther()
{
    const plan::Problem problem = problemOf(program());
    const auto evaluation = plan::evaluate(problem, plan::keepEverything());
    const auto comparison = compare::compareRun(unplannedRun(), problem, *evaluation, 5);
    QCOMPARE(*row(comparison, "allocator_peak").predicted, std::int64_t{1450});
    QCOMPARE(*row(comparison, "allocator_peak").difference(), std::int64_t{50});
    QCOMPARE(*row(comparison, "live_peak").difference(), std::int64_t{0});
    QCOMPARE(*row(comparison, "resident").difference(), std::int64_t{0});
    QCOMPARE(*row(comparison, "saved").predicted, problem.step()->checks.savedBytes.count());
    QCOMPARE(*row(comparison, "saved").measured, std::int64_t{400});
    QVERIFY(!row(comparison, "reserved_peak").measured);
    QVERIFY(!row(comparison, "reserved_peak").difference());
    QCOMPARE(*row(comparison, "step_time").measured, std::int64_t{40});
    QCOMPARE(*row(comparison, "step_time").predicted, evaluation->stepTime.count());
    QCOMPARE(*row(comparison, "time_of_ops").measured, std::int64_t{9});
    QCOMPARE(comparison.otherOps, std::string{});
    QCOMPARE(comparison.curve.size(), std::size_t{3});
    QCOMPARE(comparison.curve[1]->count(), std::int64_t{1500});
    QVERIFY(!comparison.curve[2]);
}

void AgainstPlanTest::scratchIsInTheAllocatorsPeakAlone()
{
    auto measured = std::make_shared<graph::Program>(*program());
    measured->storages.push_back({.bytes = Bytes{70},
                                  .storageClass = graph::StorageClass::Scratch,
                                  .alloc = 1,
                                  .free = 1,
                                  .lastUse = graph::kBeforeStep,
                                  .pythonFree = 1,
                                  .names = {}});
    const plan::Problem problem = problemOf(measured);
    const auto evaluation = plan::evaluate(problem, plan::keepEverything());
    QCOMPARE(evaluation->peak.count(), std::int64_t{1520});
    const auto comparison = compare::compareRun(unplannedRun(), problem, *evaluation, 5);
    QCOMPARE(*row(comparison, "allocator_peak").predicted, std::int64_t{1520});
    QCOMPARE(*row(comparison, "live_peak").predicted, std::int64_t{1450});
}

void AgainstPlanTest::largestGapsComeFirst()
{
    const plan::Problem problem = problemOf(program());
    const auto evaluation = plan::evaluate(problem, plan::keepEverything());
    compare::MeasuredRun run = unplannedRun();
    run.ops[0].allocator = Bytes{1300};
    const auto comparison = compare::compareRun(run, problem, *evaluation, 5);
    QCOMPARE(comparison.gaps.size(), std::size_t{2});
    QCOMPARE(comparison.gaps[0].step, std::size_t{0});
    QCOMPARE(comparison.gaps[0].predicted.count(), std::int64_t{1400});
    QCOMPARE(comparison.gaps[0].measured.count(), std::int64_t{1300});
    QCOMPARE(comparison.gaps[1].step, std::size_t{1});
    QCOMPARE(compare::compareRun(run, problem, *evaluation, 1).gaps.size(), std::size_t{1});
    run.allocatorPeak.reset(); // then live bytes are what is known, and they are as predicted
    QCOMPARE(compare::compareRun(run, problem, *evaluation, 5).gaps.size(), std::size_t{0});
}

void AgainstPlanTest::otherOpsAreNamed_data()
{
    QTest::addColumn<int>("what");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("another") << 0 << QByteArray{"Execution 1 of the step is aten.exp"};
    QTest::newRow("more") << 1 << QByteArray{"Execution 3 of the step is aten.exp"};
    QTest::newRow("fewer") << 2 << QByteArray{"Execution 2 of the step is nothing"};
    QTest::newRow("again") << 3 << QByteArray{"Execution 1 of the step is recomputed aten.relu"};
}

void AgainstPlanTest::otherOpsAreNamed()
{
    QFETCH(int, what);
    QFETCH(QByteArray, named);
    const plan::Problem problem = problemOf(program());
    compare::MeasuredRun run = unplannedRun();
    if (what == 0)
        run.ops[1].target = 0;
    else if (what == 1)
        run.ops.push_back(ran(0, 1400, 1400));
    else if (what == 2)
        run.ops.pop_back();
    else
        run.ops[1].recomputeOf = 0;
    const auto comparison =
        compare::compareRun(run, problem, *plan::evaluate(problem, plan::keepEverything()), 5);
    QVERIFY2(comparison.otherOps.find(named.toStdString()) != std::string::npos,
             comparison.otherOps.c_str());
    QVERIFY(comparison.curve.empty());
    QVERIFY(comparison.gaps.empty());
    QCOMPARE(*row(comparison, "live_peak").measured, std::int64_t{1450});
}

void AgainstPlanTest::recomputationsArePartOfTheStep()
{
    const plan::Problem problem = problemOf(program());
    plan::Plan plan;
    plan.asRegions().regions = {tests::regionOf(*problem.step(), {1})};
    const auto evaluation = plan::evaluate(problem, plan);
    compare::MeasuredRun run = unplannedRun();
    run.plan = compare::MeasuredPlan{"checkpoint", "module", "rotor"};
    run.ops.clear();
    for (std::size_t i = 0; i < evaluation->schedule->steps.size(); ++i) {
        const plan::Step& step = evaluation->schedule->steps[i];
        run.ops.push_back(ran(static_cast<std::uint32_t>(step.op.index()),
                              evaluation->timeline->totalAt(i).count(), 1500));
        if (step.region >= 0)
            run.ops.back().recomputeOf = static_cast<std::uint32_t>(step.op.index());
    }
    QVERIFY(run.ops.size() > 3);
    const auto comparison = compare::compareRun(run, problem, *evaluation, 5);
    QCOMPARE(comparison.otherOps, std::string{});
    QCOMPARE(*row(comparison, "saved").predicted, evaluation->schedule->saved->count());
    QCOMPARE(evaluation->schedule->saved->count(),
             std::int64_t{1000}); // the argument x; the region alone saves y
    run.ops.back().recomputeOf = 0;
    QVERIFY(!compare::compareRun(run, problem, *evaluation, 5).otherOps.empty());
}

void AgainstPlanTest::withoutOpsThereIsNoCurve()
{
    const plan::Problem problem = problemOf(program());
    compare::MeasuredRun run = unplannedRun();
    run.ops.clear();
    const auto comparison =
        compare::compareRun(run, problem, *plan::evaluate(problem, plan::keepEverything()), 5);
    QVERIFY(!comparison.opsKnown);
    QCOMPARE(comparison.otherOps, std::string{});
    QVERIFY(comparison.curve.empty());
    QVERIFY(!row(comparison, "time_of_ops").measured);
}

void AgainstPlanTest::tellsWhatIsOfAnotherStep()
{
    const plan::Problem problem = problemOf(program());
    const auto evaluation = plan::evaluate(problem, plan::keepEverything());
    const auto sentenceOf = [&](const compare::MeasuredRun& run) {
        return compare::foreignSentence(run, compare::compareRun(run, problem, *evaluation, 5));
    };
    compare::MeasuredRun run = unplannedRun();
    run.saved.reset();
    QCOMPARE(sentenceOf(run), std::string{});
    run.resident = Bytes{1010}; // 1 % is what rounding may do
    QCOMPARE(sentenceOf(run), std::string{});
    run.resident = Bytes{2000};
    QCOMPARE(sentenceOf(run),
             std::string{"Before the step there are 2,000 B in the measurement, but 1,000 B was "
                         "predicted: it belongs to another batch or model."});
    run.resident = Bytes{1000};
    run.livePeak = Bytes{1500};
    QVERIFY(sentenceOf(run).starts_with("At most there are 1,500 B in the measurement"));
    run.ops[1].target = 0; // other ops come before other sizes
    QVERIFY(sentenceOf(run).starts_with("Execution 1 of the step is aten.exp"));
}

void AgainstPlanTest::roundsAsTheBackendDoes()
{
    QVERIFY(compare::roundingOf(compare::Backend::Cpu) == graph::Rounding::Exact);
    QVERIFY(compare::roundingOf(compare::Backend::Cuda) == graph::Rounding::Cuda512);
    plan::Problem problem = problemOf(program());
    problem.rounding = graph::Rounding::Cuda512;
    const auto comparison = compare::compareRun(
        unplannedRun(), problem, *plan::evaluate(problem, plan::keepEverything()), 5);
    QCOMPARE(*row(comparison, "resident").predicted, std::int64_t{1024});
}

} // namespace

PLIMSOLL_TEST(AgainstPlanTest, QCoreApplication)
#include "against_plan_test.moc"
