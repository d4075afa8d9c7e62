// SPDX-License-Identifier: Apache-2.0
// lower() + evaluate() (closed form) against verify() (replay with reference counts, written by
// another author) on random programs and random legal plans, and against a naive count of live
// bytes.
#include "core/evaluate/certify.h"
#include "core/lower/lower.h"

#include "tests/support/programs/programs.h"
#include "tests/support/programs/schedules.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 2000;

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
    void sparedValuesAreWhatForwardNoLongerKeeps();
    void theReplayAgreesAtEveryStep();
    void evaluateCountsWhatIsAlive();
    void keepingEverythingIsTheRecording();
    void frozenStatisticsAreLeftAlone();
};

void EvaluatePropertyTest::theReplayAgreesAtEveryStep()
{
    std::size_t regions = 0;
    std::size_t differences = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::Plan plan = tests::randomLegalPlan(*program, seed);
        regions += plan.regions().size();
        const plan::Verification replay = plan::verify(problem, plan);
        QVERIFY2(replay.faults.empty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
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
            tests::unlimitedProblem(program), tests::randomLegalPlan(*program, seed));
        QCOMPARE(evaluation->timeline->totals(), naiveCurve(*program, *evaluation->schedule));
    }
}

void EvaluatePropertyTest::recomputedValuesCostWhatRecomputingCosts()
{
    std::int64_t recomputing = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        plan::Problem problem = tests::unlimitedProblem(program);
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

void EvaluatePropertyTest::sparedValuesAreWhatForwardNoLongerKeeps()
{
    std::int64_t sparing = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::EvaluationPtr kept = plan::evaluate(problem, plan::keepEverything());
        const plan::EvaluationPtr planned =
            plan::evaluate(problem, tests::randomLegalPlan(*program, seed));
        const auto forward = static_cast<graph::OpIndex>(program->forwardCount());
        if (forward == 0 || static_cast<std::size_t>(forward) == program->ops.size())
            continue;
        // Held by the plan, but not by the recorded step, across the end of forward: arguments.
        std::int64_t added = 0;
        const std::int32_t end = planned->schedule->stepOfOp[static_cast<std::size_t>(forward) - 1];
        for (const plan::Instance& instance : planned->schedule->instances) {
            const graph::Storage& storage = program->storage(instance.storage);
            const bool holds = instance.alloc >= 0 && instance.alloc <= end && instance.free > end;
            if (holds && storage.free < forward)
                added += storage.bytes.count();
        }
        std::int64_t spared = 0;
        std::set<std::size_t> again;
        for (const plan::Recomputed& value : planned->recomputed) {
            spared += value.spared.count();
            again.insert(value.storage.index());
        }
        // Saved in forward, but not needed by any backward op: dropped and never recomputed.
        std::int64_t dropped = 0;
        for (std::size_t index = 0; index < program->storages.size(); ++index) {
            const graph::Storage& storage = program->storages[index];
            if (storage.alloc >= 0 && storage.alloc < forward && storage.free >= forward
                && planned->schedule->instances[index].free <= end && !again.contains(index))
                dropped += storage.bytes.count();
        }
        QCOMPARE(tests::heldForBackward(problem, *kept->schedule).count() - spared - dropped
                     + added,
                 tests::heldForBackward(problem, *planned->schedule).count());
        sparing += spared > 0 ? 1 : 0;
    }
    QVERIFY(sparing > 100);
}

void EvaluatePropertyTest::keepingEverythingIsTheRecording()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::EvaluationPtr evaluation =
            plan::evaluate(tests::unlimitedProblem(program), plan::keepEverything());
        QCOMPARE(evaluation->peak.count(), program->checks.peakBytes.count());
        QCOMPARE(static_cast<graph::OpIndex>(evaluation->peakStep), program->checks.peakOp);
        QCOMPARE(evaluation->recomputeTime.count(), std::int64_t{0});
    }
}

/// Recomputations under frozen statistics are the usual ones minus the batch counters; nothing is
/// updated twice.
void EvaluatePropertyTest::frozenStatisticsAreLeftAlone()
{
    std::size_t counters = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        plan::Plan plan = tests::randomLegalPlan(*program, seed);
        const auto stepsOf = [&](bool freezes) {
            plan.asRegions().freezeStats = freezes;
            return plan::lower(*program, plan).steps;
        };
        const auto isCounter = [&](const plan::Step& step) {
            return step.region >= 0 && program->targetOf(program->op(step.op)) == "aten.add_.Tensor"
                   && program->storageOf(program->op(step.op).writes.front()).storageClass
                          == graph::StorageClass::Buffer;
        };
        std::vector<plan::Step> expected = stepsOf(false);
        counters += static_cast<std::size_t>(std::erase_if(expected, isCounter));
        const std::vector<plan::Step> frozen = stepsOf(true);
        QCOMPARE(frozen.size(), expected.size());
        for (std::size_t step = 0; step < frozen.size(); ++step)
            QVERIFY(frozen[step].op == expected[step].op
                    && frozen[step].region == expected[step].region);
        const plan::EvaluationPtr evaluation =
            plan::evaluate(tests::unlimitedProblem(program), plan);
        for (const std::string& sentence : evaluation->notModelled)
            QVERIFY(!sentence.starts_with("Buffers"));
    }
    QVERIFY(counters > 100);
}

} // namespace

PLIMSOLL_TEST(EvaluatePropertyTest, QCoreApplication)
#include "evaluate_property_test.moc"
