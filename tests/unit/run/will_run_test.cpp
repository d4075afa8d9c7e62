// SPDX-License-Identifier: Apache-2.0
// Expected values are counted by hand from the rules in allocator_replay.h, in the comments.
#include "core/run/will_run.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;
using run::RunStatus;

namespace {

using base::kMiB;

constexpr allocator::AllocatorSettings kExpandable{.expandableSegments = true};

plan::VerifiedPlanPtr unplanned(const graph::ProgramPtr& program, std::int64_t reserve = 0)
{
    plan::Problem problem = tests::unlimitedProblem(program);
    problem.reserve = base::Bytes{reserve * kMiB};
    const auto plan = plan::certify(problem, plan::keepEverything());
    return plan ? *plan : nullptr;
}

/// a (100 MiB) is freed before e and f (40 MiB each) take parts of its segment; f is still alive
/// when d asks for 100 MiB.
graph::ProgramPtr splitting()
{
    const auto temporary = [](graph::OpIndex first, graph::OpIndex last) {
        return tests::Life{.alloc = first, .python = last};
    };
    return tests::aProgram()
        .storage("x", 512, StorageClass::Input)
        .storage("a", 100 * kMiB, StorageClass::Temporary, temporary(0, 0))
        .storage("e", 40 * kMiB, StorageClass::Temporary, temporary(1, 2))
        .storage("f", 40 * kMiB, StorageClass::Temporary, temporary(2, 4))
        .storage("d", 100 * kMiB, StorageClass::Temporary, temporary(3, 4))
        .op("aten.exp", {.reads = {"x"}, .outputs = {"a"}})
        .op("aten.sin", {.reads = {"x"}, .outputs = {"e"}})
        .op("aten.cos", {.reads = {"e"}, .outputs = {"f"}})
        .op("aten.tan", {.reads = {"x"}, .outputs = {"d"}})
        .op("aten.add", {.reads = {"f", "d"}})
        .call("", 0, 4, {"x"}, {"d"})
        .build();
}

/// The optimizer's state is allocated at the end of the first iteration.
graph::ProgramPtr training()
{
    return tests::aProgram()
        .storage("p", 10 * kMiB, StorageClass::Parameter)
        .storage("s", 50 * kMiB, StorageClass::OptimizerState)
        .storage("t", 60 * kMiB, StorageClass::Temporary, {.alloc = 0, .python = 0})
        .op("aten.exp", {.reads = {"p"}, .outputs = {"t"}})
        .op("aten.add_", {.reads = {"s"}, .writes = {"p"}, .phase = Phase::Optimizer})
        .call("", 0, 0, {"p"}, {"t"})
        .build();
}

class WillRunTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void memoryInPiecesFails();
    void theReserveIsNotTheAllocators();
    void cachedSegmentsAreGivenBack();
    void theSecondIterationHasTheOptimizersState();
    void aStoppedReplayIsCancelled();
};

void WillRunTest::memoryInPiecesFails()
{
    const plan::VerifiedPlanPtr plan = unplanned(splitting());
    QVERIFY(plan);
    QCOMPARE(plan->evaluation().peak.count(), 140 * kMiB + 512);
    // 2 MiB hold x. The segment of a has 40 MiB (e, freed), f, and 20 MiB at its end.
    const auto verdict = run::willRun(*plan, {}, base::Bytes{152 * kMiB}, {});
    QVERIFY(verdict && verdict->status == RunStatus::Fails);
    const run::OutOfMemory& failure = *verdict->run.failure;
    QCOMPARE(failure.iteration, 1);
    QCOMPARE(failure.op.index(), std::size_t{3});
    QCOMPARE(failure.asked.count(), 100 * kMiB);
    QCOMPARE(failure.free.count(), 50 * kMiB);
    QCOMPARE(failure.largestCached.count(), 40 * kMiB);
    QCOMPARE(failure.cached.count(), 62 * kMiB - 512); // 60 MiB, and what is beside x
    QCOMPARE(verdict->runsAt->count(), 202 * kMiB);    // two segments of 100 MiB
    QVERIFY(run::willRun(*plan, {}, *verdict->runsAt, {})->status == RunStatus::Runs);
    // Expandable: f lies in the third and fourth 20 MiB; the first two are given back, d takes the
    // last one and 80 MiB more.
    QVERIFY(verdict->expandable == RunStatus::RunsWithFlushes);
    const auto expandable = run::willRun(*plan, kExpandable, base::Bytes{152 * kMiB}, {});
    QVERIFY(expandable && expandable->run.flushes.front() == 1 && !expandable->expandable);
}

void WillRunTest::theReserveIsNotTheAllocators()
{
    const plan::VerifiedPlanPtr plan = unplanned(splitting(), 10);
    const auto verdict = run::willRun(*plan, {}, base::Bytes{162 * kMiB}, {});
    QVERIFY(verdict && verdict->status == RunStatus::Fails);
    QCOMPARE(verdict->run.failure->free.count(), 50 * kMiB);
    QCOMPARE(verdict->runsAt->count(), 212 * kMiB);
}

void WillRunTest::cachedSegmentsAreGivenBack()
{
    const auto temporary = [](graph::OpIndex op) { return tests::Life{.alloc = op, .python = op}; };
    const graph::ProgramPtr program =
        tests::aProgram()
            .storage("x", 512, StorageClass::Input)
            .storage("a", 100 * kMiB, StorageClass::Temporary, temporary(0))
            .storage("b", 120 * kMiB, StorageClass::Temporary, temporary(1))
            .op("aten.exp", {.reads = {"x"}, .outputs = {"a"}})
            .op("aten.sin", {.reads = {"x"}, .outputs = {"b"}})
            .call("", 0, 1, {"x"}, {"b"})
            .build();
    const plan::VerifiedPlanPtr plan = unplanned(program);
    // b needs the memory of a's segment; later, a is cut from b's.
    const auto verdict = run::willRun(*plan, {}, base::Bytes{122 * kMiB}, {});
    QVERIFY(verdict && verdict->status == RunStatus::RunsWithFlushes);
    QVERIFY((verdict->run.flushes == std::vector{1, 0, 0}));
    QCOMPARE(verdict->run.flushCount(), 1);
    QVERIFY(!verdict->runsAt && verdict->expandable == RunStatus::Runs);
    QVERIFY(run::willRun(*plan, {}, base::Bytes{222 * kMiB}, {})->status == RunStatus::Runs);
}

void WillRunTest::theSecondIterationHasTheOptimizersState()
{
    const plan::VerifiedPlanPtr plan = unplanned(training());
    QCOMPARE(plan->evaluation().peak.count(), 120 * kMiB);
    // s takes 50 of the 60 MiB that t left, so that t needs a segment of its own afterwards.
    const auto verdict = run::willRun(*plan, {}, base::Bytes{120 * kMiB}, {});
    QVERIFY(verdict && verdict->status == RunStatus::Fails);
    QCOMPARE(verdict->run.failure->iteration, 2);
    QCOMPARE(verdict->run.failure->op.index(), std::size_t{0});
    QCOMPARE(verdict->run.failure->asked.count(), 60 * kMiB);
    QCOMPARE(verdict->run.failure->largestCached.count(), 10 * kMiB);
    QCOMPARE(verdict->runsAt->count(), 130 * kMiB);
}

void WillRunTest::aStoppedReplayIsCancelled()
{
    std::stop_source over;
    over.request_stop();
    const auto verdict = run::willRun(*unplanned(splitting()), {}, base::Bytes{400 * kMiB},
                                      {.stop = over.get_token()});
    QVERIFY(!verdict && verdict.error().kind == base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(WillRunTest, QCoreApplication)
#include "will_run_test.moc"
