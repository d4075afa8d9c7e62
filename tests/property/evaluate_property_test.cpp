// SPDX-License-Identifier: Apache-2.0
// lower() + evaluate() (closed form) against verify() (replay with reference counts, written by
// another author) on random programs and random legal plans, and against a naive count of live
// bytes.
#include "core/plan/certify.h"

#include "tests/support/programs.h"

#include <QTest>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 2000;

plan::Problem problemOf(const graph::ProgramPtr& program, graph::Rounding rounding)
{
    return {program, plan::Device{}, base::Bytes{std::int64_t{1} << 62}, base::Bytes{}, rounding};
}

std::vector<std::int64_t> naiveCurve(const graph::Program& program, const plan::Schedule& schedule)
{
    std::vector<std::int64_t> curve(schedule.steps.size(), 0);
    for (std::size_t step = 0; step < curve.size(); ++step)
        for (const plan::Instance& instance : schedule.instances)
            if (instance.alloc <= static_cast<std::int32_t>(step)
                && instance.free >= static_cast<std::int32_t>(step))
                curve[step] += program.storage(instance.storage).bytes.count();
    return curve;
}

class EvaluatePropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recomputedValuesCostWhatRecomputingCosts();
    void theReplayAgreesAtEveryStep();
    void evaluateCountsWhatIsAlive();
    void keepingEverythingIsTheRecording();
};

void EvaluatePropertyTest::theReplayAgreesAtEveryStep()
{
    std::size_t regions = 0;
    std::size_t differences = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = problemOf(program, graph::Rounding::Exact);
        const plan::Plan plan = tests::randomLegalPlan(*program, seed);
        regions += plan.regions.size();
        const plan::Verification replay = plan::verify(problem, plan);
        if (!replay.faults.empty())
            QFAIL(qPrintable(QStringLiteral("seed %1: %2")
                                 .arg(seed)
                                 .arg(QString::fromStdString(replay.faults.front().sentence))));
        const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
        const std::vector<std::int64_t>& totals = evaluation->timeline->totals();
        bool equal = totals.size() == replay.liveBytes.size();
        for (std::size_t step = 0; equal && step < totals.size(); ++step)
            if (totals[step] != replay.liveBytes[step].count()) {
                equal = false;
                qInfo(
                    "seed %llu step %zu of %zu (op %zu, region %d): evaluated %lld, replayed %lld",
                    static_cast<unsigned long long>(seed), step, totals.size(),
                    evaluation->schedule->steps[step].op.index(),
                    evaluation->schedule->steps[step].region, static_cast<long long>(totals[step]),
                    static_cast<long long>(replay.liveBytes[step].count()));
            }
        if (totals.size() != replay.liveBytes.size())
            qInfo("seed %llu: %zu steps evaluated, %zu replayed",
                  static_cast<unsigned long long>(seed), totals.size(), replay.liveBytes.size());
        differences += equal ? 0 : 1;
    }
    qInfo("%zu regions in %llu plans, %zu differ", regions,
          static_cast<unsigned long long>(kPrograms), differences);
    QVERIFY(regions > kPrograms / 2);
    QCOMPARE(differences, std::size_t{0});
}

void EvaluatePropertyTest::evaluateCountsWhatIsAlive()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::EvaluationPtr evaluation = plan::evaluate(
            problemOf(program, graph::Rounding::Exact), tests::randomLegalPlan(*program, seed));
        QCOMPARE(evaluation->timeline->totals(), naiveCurve(*program, *evaluation->schedule));
    }
}

void EvaluatePropertyTest::recomputedValuesCostWhatRecomputingCosts()
{
    std::int64_t recomputing = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        plan::Problem problem = problemOf(program, graph::Rounding::Exact);
        problem.device.bandwidth = 1e9;
        problem.device.launchLatency = base::Nanoseconds{7};
        const plan::EvaluationPtr evaluation =
            plan::evaluate(problem, tests::randomLegalPlan(*program, seed));
        base::Nanoseconds sum;
        for (const plan::Recomputed& value : evaluation->recomputed)
            sum += value.time;
        QCOMPARE(sum.count(), evaluation->recomputeTime.count());
        recomputing += sum.count() > 0 ? 1 : 0;
    }
    QVERIFY(recomputing > 250);
}

void EvaluatePropertyTest::keepingEverythingIsTheRecording()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::EvaluationPtr evaluation =
            plan::evaluate(problemOf(program, graph::Rounding::Exact), plan::keepEverything());
        QCOMPARE(evaluation->peak.count(), program->checks.peakBytes.count());
        QCOMPARE(static_cast<graph::Moment>(evaluation->peakStep), program->checks.peakOp);
        QCOMPARE(evaluation->recomputeTime.count(), std::int64_t{0});
    }
}

} // namespace

QTEST_GUILESS_MAIN(EvaluatePropertyTest)
#include "evaluate_property_test.moc"
