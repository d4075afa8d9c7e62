// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/evaluate.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace plimsoll;

namespace {

/// One module whose forward does what `op` says, then makes y; a backward that needs y.
plan::EvaluationPtr recomputed(const std::string& target, const tests::OpSpec& op,
                               const std::string& buffer = "count", bool freezesStats = false)
{
    using graph::Phase;
    using graph::StorageClass;
    const graph::ProgramPtr program =
        tests::aProgram()
            .storage("x", 100, StorageClass::Input)
            .storage(buffer, 8, StorageClass::Buffer)
            .storage("y", 100, StorageClass::Activation, {.alloc = 1, .python = 1, .free = 3})
            .storage("z", 100, StorageClass::Activation, {.alloc = 2, .python = 2, .free = 3})
            .op(target, op)
            .op("aten.exp", {.reads = {"x"}, .outputs = {"y"}})
            .op("aten.relu", {.reads = {"y"}, .outputs = {"z"}})
            .op("aten.threshold_backward", {.reads = {"y", "z"}, .phase = Phase::Backward})
            .call("", 0, 2, {"x"}, {"z"})
            .call("act", 0, 2, {"x"}, {"z"})
            .saved("y", 2, {.unpack = 3, .dropped = 3, .released = 3})
            .build();
    plan::Problem problem{program, plan::Device{}, base::Bytes{std::int64_t{1} << 40},
                          base::Bytes{}, graph::Rounding::Exact};
    problem.device.launchLatency = base::Nanoseconds{7};
    problem.device.bandwidth = 1e9;
    plan::Plan plan;
    plan.asRegions().regions = {tests::regionOf(*program, {1})};
    plan.asRegions().freezeStats = freezesStats;
    return plan::evaluate(problem, plan);
}

bool tellsOfBuffers(const plan::Evaluation& evaluation)
{
    return std::any_of(evaluation.notModelled.begin(), evaluation.notModelled.end(),
                       [](const std::string& sentence) { return sentence.starts_with("Buffers"); });
}

class EvaluateTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chargesOpsThatOnlyReadToWhatTheyRead();
    void tellsThatBuffersAreUpdatedAgain();
    void frozenCountersDontRunAgain();
    void frozenNormsRunAgainWithoutTheirStatistics();
};

/// A number fetched for Python (aten._local_scalar_dense) has neither results nor writes.
void EvaluateTest::chargesOpsThatOnlyReadToWhatTheyRead()
{
    const plan::EvaluationPtr evaluation =
        recomputed("aten._local_scalar_dense", {.reads = {"count"}});
    QVERIFY(evaluation->recomputeTime.count() > 0);
    base::Nanoseconds sum;
    for (const plan::Recomputed& value : evaluation->recomputed)
        sum += value.time;
    QCOMPARE(sum.count(), evaluation->recomputeTime.count());
    QVERIFY(evaluation->recomputed.front().storage == graph::StorageId{1});
    QCOMPARE(evaluation->recomputed.front().bytes.count(), std::int64_t{0});
    QVERIFY(!tellsOfBuffers(*evaluation));
}

void EvaluateTest::tellsThatBuffersAreUpdatedAgain()
{
    const plan::EvaluationPtr evaluation =
        recomputed("aten.add_", {.reads = {"count"}, .writes = {"count"}});
    QVERIFY(tellsOfBuffers(*evaluation));
}

/// A counter is a buffer of that very name; others are updated again, and flagged.
void EvaluateTest::frozenCountersDontRunAgain()
{
    const auto counted = [](const std::string& buffer, bool freezesStats) {
        return recomputed("aten.add_", {.reads = {buffer}, .writes = {buffer}}, buffer,
                          freezesStats);
    };
    for (const char* counter : {"num_batches_tracked", "bn.num_batches_tracked"}) {
        const plan::EvaluationPtr again = counted(counter, false);
        const plan::EvaluationPtr frozen = counted(counter, true);
        QVERIFY(tellsOfBuffers(*again));
        QVERIFY(!tellsOfBuffers(*frozen));
        QCOMPARE(frozen->schedule->steps.size() + 1, again->schedule->steps.size());
        QVERIFY(frozen->recomputeTime < again->recomputeTime);
    }
    const plan::EvaluationPtr other = counted("my_num_batches_tracked", true);
    QVERIFY(tellsOfBuffers(*other));
    QCOMPARE(other->schedule->steps.size(), counted("count", false)->schedule->steps.size());
}

void EvaluateTest::frozenNormsRunAgainWithoutTheirStatistics()
{
    const tests::OpSpec norm{.reads = {"x", "mean"}, .writes = {"mean"}};
    const auto again = recomputed("aten.cudnn_batch_norm.default", norm, "mean");
    const auto frozen = recomputed("aten.cudnn_batch_norm.default", norm, "mean", true);
    QVERIFY(tellsOfBuffers(*again));
    QVERIFY(!tellsOfBuffers(*frozen));
    QCOMPARE(frozen->schedule->steps.size(), again->schedule->steps.size());
    QVERIFY(tellsOfBuffers(*recomputed("aten.my_norm.default", norm, "mean", true)));
}

} // namespace

PLIMSOLL_TEST(EvaluateTest, QCoreApplication)
#include "evaluate_test.moc"
