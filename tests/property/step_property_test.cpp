// SPDX-License-Identifier: Apache-2.0
// Plans of the step runtime: lower() + evaluate() (last uses) against verify() (counts of holders)
// and against the rules of STEP_RUNTIME.md written down naively, on random programs and random
// plans; damaged plans are caught.
#include "core/device/op_times.h"
#include "core/evaluate/certify.h"
#include "core/solve/regions/recompute_closure.h"

#include "tests/support/programs/programs.h"
#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 1500;

struct Executed
{
    std::size_t op = 0;
    bool isRecomputed = false;
};

std::vector<Executed> executionsOf(const graph::Program& program, const plan::Plan& plan)
{
    std::vector<Executed> executions;
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
        for (const plan::RecomputeStep& row : plan.recomputeSteps())
            if (row.before == static_cast<graph::OpIndex>(op))
                for (const graph::OpId again : row.ops)
                    executions.push_back({again.index(), true});
        executions.push_back({op, false});
    }
    return executions;
}

bool uses(const graph::Program& program, std::size_t op, std::size_t storage)
{
    const graph::Op& row = program.ops[op];
    for (const auto* tensors : {&row.reads, &row.writes, &row.outputs})
        for (const graph::TensorId tensor : *tensors)
            if (program.tensor(tensor).storage.index() == storage)
                return true;
    return false;
}

bool isOutcome(const graph::Program& program, std::size_t storage)
{
    return std::ranges::any_of(program.parameters, [&](const graph::Parameter& parameter) {
        return parameter.gradient == graph::StorageId{storage};
    });
}

/// Bytes during every step, storage by storage and instance by instance.
std::vector<std::int64_t> naiveCurve(const graph::Program& program, const plan::Plan& plan)
{
    const std::vector<Executed> executions = executionsOf(program, plan);
    const std::size_t steps = executions.size();
    std::vector<std::int64_t> curve(steps, 0);
    const auto own = [&](graph::OpIndex opIndex) {
        return static_cast<std::size_t>(
            std::ranges::find_if(executions,
                                 [&](const Executed& executed) {
                                     return !executed.isRecomputed
                                            && executed.op == static_cast<std::size_t>(opIndex);
                                 })
            - executions.begin());
    };
    for (std::size_t index = 0; index < program.storages.size(); ++index) {
        const graph::Storage& storage = program.storages[index];
        const auto live = [&](std::size_t first, std::size_t last) {
            for (std::size_t step = first; step <= last && step < steps; ++step)
                curve[step] += storage.bytes.count();
        };
        if (storage.alloc < 0) {
            live(0, steps);
            continue;
        }
        if (program.ops[static_cast<std::size_t>(storage.alloc)].phase == graph::Phase::Optimizer) {
            live(own(storage.alloc), storage.free == graph::kNever ? steps : own(storage.free));
            continue;
        }
        for (std::size_t made = 0; made < steps; ++made) {
            if (executions[made].op != static_cast<std::size_t>(storage.alloc))
                continue;
            std::size_t last = made;
            std::size_t next = made + 1;
            for (; next < steps && executions[next].op != static_cast<std::size_t>(storage.alloc);
                 ++next)
                if (uses(program, executions[next].op, index))
                    last = next;
            live(made, next == steps && isOutcome(program, index) ? steps : last);
        }
    }
    return curve;
}

std::vector<std::int64_t> counts(const std::vector<base::Bytes>& bytes)
{
    std::vector<std::int64_t> numbers;
    for (const base::Bytes value : bytes)
        numbers.push_back(value.count());
    return numbers;
}

plan::Plan keepingEverything()
{
    plan::Plan plan = plan::keepEverything();
    plan.decisions = plan::RecomputeSchedule{};
    return plan;
}

/// Simulates writes naively: finds the first execution that finds a storage in another state than
/// recorded.
bool everyReadIsRight(const graph::Program& program, const plan::Plan& plan)
{
    const auto run = [&](const std::vector<Executed>& executions, auto&& found) {
        std::map<std::size_t, std::vector<std::size_t>> history; // storage: ops that wrote it
        for (const Executed& executed : executions) {
            const graph::Op& op = program.ops[executed.op];
            std::set<std::size_t> touched;
            for (const auto* tensors : {&op.reads, &op.writes, &op.outputs})
                for (const graph::TensorId tensor : *tensors)
                    touched.insert(program.tensor(tensor).storage.index());
            std::set<std::size_t> written;
            for (const graph::TensorId tensor : op.writes)
                written.insert(program.tensor(tensor).storage.index());
            for (const std::size_t storage : touched) {
                const graph::OpIndex alloc = program.storages[storage].alloc;
                if (alloc == static_cast<graph::OpIndex>(executed.op))
                    history[storage].clear();
                else if (!(executed.isRecomputed && alloc < 0 && written.contains(storage)))
                    found(executed, storage, history[storage]);
            }
            for (const std::size_t storage : written)
                if (!executed.isRecomputed || program.storages[storage].alloc >= 0)
                    history[storage].push_back(executed.op);
        }
        return history;
    };
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> recorded;
    std::vector<Executed> plain;
    for (std::size_t op = 0; op < program.ops.size(); ++op)
        plain.push_back({op, false});
    const auto end = run(plain, [&](const Executed& executed, std::size_t storage,
                                    const std::vector<std::size_t>& history) {
        recorded[{executed.op, storage}] = history;
    });
    bool isRight = true;
    auto after = run(executionsOf(program, plan), [&](const Executed& executed, std::size_t storage,
                                                      const std::vector<std::size_t>& history) {
        isRight = isRight && recorded[{executed.op, storage}] == history;
    });
    for (std::size_t storage = 0; storage < program.storages.size(); ++storage)
        if (const auto last = end.find(storage); last != end.end() && isOutcome(program, storage))
            isRight = isRight && after[storage] == last->second;
    return isRight;
}

class StepPropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void evaluationReplayAndRulesAgreeAtEveryStep();
    void keepingEverythingFreesAfterTheLastUse();
    void repeatingCostsWhatIsRepeated();
    void sparedValuesAreWhatForwardNoLongerKeeps();
    void damagedPlansAreCaught();
    void whatCantBeRepeatedIsCaught();
};

void StepPropertyTest::evaluationReplayAndRulesAgreeAtEveryStep()
{
    std::size_t repeated = 0;
    std::size_t rows = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::Plan plan = tests::randomStepPlan(*program, seed);
        rows += plan.recomputeSteps().size();
        for (const plan::RecomputeStep& row : plan.recomputeSteps())
            repeated += row.ops.size();
        const plan::Verification replay = plan::verify(problem, plan);
        QVERIFY2(replay.faults.empty(),
                 qPrintable(QStringLiteral("seed %1: ").arg(seed) + tests::firstFault(replay)));
        const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
        QCOMPARE(evaluation->timeline->totals(), counts(replay.liveBytes));
        QCOMPARE(evaluation->timeline->totals(), naiveCurve(*program, plan));
        QVERIFY(everyReadIsRight(*program, plan));
        QCOMPARE(evaluation->peak, replay.peak);
        QCOMPARE(evaluation->peakStep, replay.peakStep);
    }
    qInfo("%zu executions in %zu rows", repeated, rows);
    QVERIFY(rows > kPrograms);
    QVERIFY(repeated > 2 * rows);
}

void StepPropertyTest::keepingEverythingFreesAfterTheLastUse()
{
    int lower = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Problem problem = tests::unlimitedProblem(program);
        const plan::EvaluationPtr eager = plan::evaluate(problem, plan::keepEverything());
        const plan::EvaluationPtr step = plan::evaluate(problem, keepingEverything());
        QCOMPARE(step->schedule->steps.size(), program->ops.size());
        QCOMPARE(step->stepTime, eager->stepTime);
        QCOMPARE(step->recomputeTime, base::Nanoseconds{});
        for (std::size_t i = 0; i < program->storages.size(); ++i)
            if (const graph::Storage& storage = program->storages[i];
                storage.alloc >= 0 && storage.free != graph::kNever)
                QCOMPARE(step->schedule->instances[i].free,
                         storage.alloc
                                 < static_cast<graph::OpIndex>(program->countBeforeOptimizer())
                             ? std::max(storage.lastUse, storage.alloc)
                             : storage.free);
        lower += step->peak < eager->peak ? 1 : 0;
    }
    QVERIFY(lower > 100);
}

void StepPropertyTest::repeatingCostsWhatIsRepeated()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        plan::Problem problem = tests::unlimitedProblem(program);
        problem.device.bandwidth = 1e9;
        problem.device.launchLatency = base::Nanoseconds{7};
        const std::vector<base::Nanoseconds> times = plan::opTimes(*program, problem.device);
        const plan::Plan plan = tests::randomStepPlan(*program, seed);
        const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan);
        base::Nanoseconds expected;
        for (const plan::RecomputeStep& row : plan.recomputeSteps())
            for (const graph::OpId op : row.ops)
                expected += times[op.index()];
        base::Nanoseconds sum;
        for (const plan::Recomputed& value : evaluation->recomputed)
            sum += value.time;
        QCOMPARE(evaluation->recomputeTime, expected);
        QCOMPARE(sum, expected);
        QCOMPARE(evaluation->stepTime,
                 plan::evaluate(problem, keepingEverything())->stepTime + expected);
        QVERIFY(std::ranges::none_of(evaluation->notModelled, [](const std::string& sentence) {
            return sentence.find("Buffers") != std::string::npos;
        }));
    }
}

void StepPropertyTest::sparedValuesAreWhatForwardNoLongerKeeps()
{
    int sparing = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::EvaluationPtr evaluation =
            plan::evaluate(tests::unlimitedProblem(program), tests::randomStepPlan(*program, seed));
        const auto forward = static_cast<graph::OpIndex>(program->forwardCount());
        const std::int32_t end =
            evaluation->schedule->stepOfOp[static_cast<std::size_t>(forward) - 1];
        for (const plan::Recomputed& value : evaluation->recomputed) {
            const graph::Storage& storage = program->storage(value.storage);
            bool isHeld = false;
            for (const plan::Instance& instance : evaluation->schedule->instances)
                isHeld = isHeld
                         || (instance.storage == value.storage && instance.alloc <= end
                             && instance.free > end);
            const bool wasHeld = storage.alloc < forward && storage.free >= forward;
            QCOMPARE(value.spared, wasHeld && !isHeld ? value.bytes : base::Bytes{});
            sparing += value.spared.count() > 0 ? 1 : 0;
        }
    }
    QVERIFY(sparing > 50);
}

/// Omits one op from a row or adds one: either every op still finds what was recorded, or a fault
/// is reported.
void StepPropertyTest::damagedPlansAreCaught()
{
    std::map<plan::FaultKind, int> caught;
    int good = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        tests::Random random{seed};
        const graph::ProgramPtr program = tests::randomProgram(seed);
        plan::Plan plan = tests::randomStepPlan(*program, seed);
        if (plan.recomputeSteps().empty())
            continue;
        std::vector<plan::RecomputeStep>& rows = plan.asSchedule().recomputeSteps;
        plan::RecomputeStep& row = rows[random.below(rows.size())];
        if (random.percent(50)) {
            row.ops.erase(row.ops.begin()
                          + static_cast<std::ptrdiff_t>(random.below(row.ops.size())));
        } else {
            const graph::OpId added{random.below(static_cast<std::size_t>(row.before))};
            const auto at = std::ranges::lower_bound(row.ops, added);
            if (at == row.ops.end() || *at != added)
                row.ops.insert(at, added);
        }
        const plan::Verification replay = plan::verify(tests::unlimitedProblem(program), plan);
        const bool isIllegal =
            !replay.faults.empty() && replay.faults.front().kind == plan::FaultKind::IllegalRepeat;
        if (!isIllegal)
            QCOMPARE(replay.faults.empty(), everyReadIsRight(*program, plan));
        if (replay.faults.empty())
            ++good;
        else
            ++caught[replay.faults.front().kind];
    }
    QVERIFY(good > 50);
    qInfo("%d still good, %d before compute, %d overwritten, %d illegal", good,
          caught[plan::FaultKind::UseBeforeCompute], caught[plan::FaultKind::OverwrittenInput],
          caught[plan::FaultKind::IllegalRepeat]);
    QVERIFY(caught[plan::FaultKind::UseBeforeCompute] > 20);
    QVERIFY(caught[plan::FaultKind::OverwrittenInput] > 5);
}

void StepPropertyTest::whatCantBeRepeatedIsCaught()
{
    int updates = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const solve::RecomputeClosure closure{*program};
        const std::size_t end = program->countBeforeOptimizer();
        for (std::size_t op = 0; op + 1 < end; ++op) {
            plan::Plan plan = keepingEverything();
            plan.asSchedule().recomputeSteps = {
                {static_cast<graph::OpIndex>(end) - 1, {graph::OpId{op}}}};
            const plan::Verification replay = plan::verify(tests::unlimitedProblem(program), plan);
            const bool isIllegal = std::ranges::any_of(replay.faults, [](const plan::Fault& fault) {
                return fault.kind == plan::FaultKind::IllegalRepeat;
            });
            QCOMPARE(isIllegal, !closure.isRepeatable(graph::OpId{op}));
            updates += program->targetOf(program->ops[op]) == "aten.native_batch_norm.default";
        }
    }
    QVERIFY(updates > 10);
}

} // namespace

PLIMSOLL_TEST(StepPropertyTest, QCoreApplication)
#include "step_property_test.moc"
