// SPDX-License-Identifier: Apache-2.0
// Plans of the step runtime written out as programs, on random programs and random plans: the same
// bytes at every op, the same time, a graph file that is read back equal, and every op finds the
// values that the recorded one found, by an interpreter of its own.
#include "core/solve/remat/capuchin/capuchin_planner.h"

#include "tests/support/programs/programs.h"
#include "tests/support/rewritten.h"
#include "tests/support/rewritten_step.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fmt/format.h>

#include <map>
#include <set>

using namespace plimsoll;

namespace {

constexpr std::uint64_t kPrograms = 300;

/// Calls with a tensor for each read, as a recording has them.
graph::ProgramPtr withCalls(const graph::ProgramPtr& program)
{
    auto copy = std::make_shared<graph::Program>(*program);
    for (const graph::Op& op : copy->ops) {
        std::string args = R"([{"t":"no tensor"})";
        for (const graph::TensorId tensor : op.reads)
            args += fmt::format(",[{{\"t\":{}}}]", tensor.index());
        copy->callTexts.add(args + "]");
        copy->callTexts.add(R"({"alpha":1.5})");
    }
    return copy;
}

graph::ProgramPtr programOf(std::uint64_t seed)
{
    return withCalls(seed % 3 == 2 ? tests::randomGatedProgram(seed) : tests::randomProgram(seed));
}

plan::VerifiedPlanPtr certified(const plan::Problem& problem, const plan::Plan& plan)
{
    const base::Result<plan::VerifiedPlanPtr> verified = plan::certify(problem, plan);
    if (!verified)
        qFatal("%s", verified.error().message.c_str());
    return *verified;
}

/// Ops as functions of the contents of their storages: what each execution found, by recorded op,
/// and what the gradients contain at the end.
class Interpreter
{
public:
    explicit Interpreter(const graph::Program& program) : m_program{program} {}

    void run()
    {
        std::vector<std::size_t> recorded; // by op: the recorded op that it is
        std::size_t own = 0;
        for (const graph::Op& op : m_program.ops) {
            recorded.push_back(op.isRepetition ? recorded[op.recomputeOf->index()] : own++);
            execute(op, recorded.back());
        }
        for (const graph::Parameter& parameter : m_program.parameters)
            if (parameter.gradient)
                outcomes.push_back(m_holds[parameter.gradient->index()]);
    }

    std::map<std::size_t, std::set<std::string>> found; ///< by recorded op
    std::vector<std::size_t> outcomes;

private:
    void execute(const graph::Op& op, std::size_t recorded)
    {
        std::string inputs = fmt::format("{}:", recorded);
        // Statistics are older than the step and written: a repetition does without them.
        const auto isStatistics = [&](graph::TensorId tensor) {
            return m_program.storageOf(tensor).alloc < 0
                   && std::ranges::any_of(op.writes, [&](graph::TensorId written) {
                          return m_program.tensor(written).storage
                                 == m_program.tensor(tensor).storage;
                      });
        };
        for (const graph::TensorId tensor : op.reads)
            if (!isStatistics(tensor))
                inputs += fmt::format("{},", m_holds[m_program.tensor(tensor).storage.index()]);
        found[recorded].insert(inputs);
        std::size_t number = 0;
        for (const auto* tensors : {&op.outputs, &op.writes})
            for (const graph::TensorId tensor : *tensors)
                if (!op.isView && !isStatistics(tensor))
                    m_holds[m_program.tensor(tensor).storage.index()] =
                        std::hash<std::string>{}(fmt::format("{}/{}", inputs, number++));
    }

    const graph::Program& m_program;
    std::map<std::size_t, std::size_t> m_holds; ///< by storage
};

class RewritePropertyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomPlansAreTheSameStep();
    void everyOpFindsWhatItFoundWhenRecorded();
    void capuchinsPlansAreTheSameStep();
    void aRewrittenStepIsPlannedAndWrittenAgain();
};

void RewritePropertyTest::randomPlansAreTheSameStep()
{
    std::size_t repeated = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        plan::Problem problem = tests::unlimitedProblem(programOf(seed));
        problem.device.bandwidth = 1e9;
        problem.rounding = seed % 2 == 0 ? graph::Rounding::Exact : graph::Rounding::Cuda512;
        problem.reserve = base::Bytes{static_cast<std::int64_t>(seed % 5)};
        const plan::VerifiedPlanPtr plan =
            certified(problem, tests::randomStepPlan(*problem.step(), seed));
        for (const plan::RecomputeStep& row : plan->plan().recomputeSteps())
            repeated += row.ops.size();
        const QString fault = tests::rewritingFault(plan);
        QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("seed %1: ").arg(seed) + fault));
    }
    QVERIFY(repeated > 4 * kPrograms);
}

void RewritePropertyTest::everyOpFindsWhatItFoundWhenRecorded()
{
    std::size_t repeating = 0;
    for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
        const plan::Problem problem = tests::unlimitedProblem(programOf(seed));
        const graph::Program rewritten =
            tests::rewritten(*certified(problem, tests::randomStepPlan(*problem.step(), seed)))
                .value();
        Interpreter recorded{*problem.step()};
        recorded.run();
        Interpreter again{rewritten};
        again.run();
        QVERIFY2(recorded.found == again.found, qPrintable(QString::number(seed)));
        QVERIFY2(recorded.outcomes == again.outcomes, qPrintable(QString::number(seed)));
        for (const graph::Op& op : rewritten.ops)
            repeating += op.isRepetition ? 1 : 0;
    }
    QVERIFY(repeating > 4 * kPrograms);
}

void RewritePropertyTest::capuchinsPlansAreTheSameStep()
{
    int plans = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        plan::Problem problem = tests::unlimitedProblem(programOf(seed));
        problem.device.bandwidth = 1e9;
        solve::CapuchinRun run{problem};
        while (run.next())
            ++plans;
        plan::Plan plan;
        plan.planner = "capuchin";
        plan.decisions = plan::RecomputeSchedule{run.rows()};
        const QString fault = tests::rewritingFault(certified(problem, plan));
        QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("seed %1: ").arg(seed) + fault));
    }
    QVERIFY(plans > 300);
}

/// A rewritten step is like any other: its ops, including recomputations, are recomputed again.
void RewritePropertyTest::aRewrittenStepIsPlannedAndWrittenAgain()
{
    int twice = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        const plan::Problem problem = tests::unlimitedProblem(programOf(seed));
        const auto once = std::make_shared<const graph::Program>(
            tests::rewritten(*certified(problem, tests::randomStepPlan(*problem.step(), seed)))
                .value());
        const plan::Problem next = tests::unlimitedProblem(once);
        const plan::Plan plan = tests::randomStepPlan(*once, seed + 1);
        const plan::VerifiedPlanPtr second = certified(next, plan);
        const QString fault = tests::rewritingFault(second);
        QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("seed %1: ").arg(seed) + fault));
        const graph::Program rewritten = tests::rewritten(*second).value();
        Interpreter recorded{*problem.step()};
        recorded.run();
        Interpreter again{rewritten};
        again.run();
        QVERIFY2(recorded.found == again.found, qPrintable(QString::number(seed)));
        twice += std::ranges::any_of(plan.recomputeSteps(), [&](const plan::RecomputeStep& row) {
            return std::ranges::any_of(row.ops,
                                       [&](graph::OpId op) { return once->op(op).isRepetition; });
        });
    }
    QVERIFY(twice > 15);
}

} // namespace

PLIMSOLL_TEST(RewritePropertyTest, QCoreApplication)

#include "rewrite_property_test.moc"
