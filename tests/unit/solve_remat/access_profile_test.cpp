// SPDX-License-Identifier: Apache-2.0
// When values wait for backward: the worked example SWAP of checkpointing.md 14, a step by hand, a
// shipped sample.
#include "core/solve/remat/capuchin/access_profile.h"

#include "core/device/op_times.h"

#include "tests/support/planned_samples.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace plimsoll;
using graph::Phase;
using graph::StorageClass;

namespace {

class AccessProfileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStepWorkedOutByHand();
    void aSampleLosesWhatWaits();
};

/// y waits while z is made and used: ops 0 y, 1 z, 2 dz from z, 3 dx from y and dz.
void AccessProfileTest::aStepWorkedOutByHand()
{
    const graph::ProgramPtr program =
        tests::aProgram()
            .storage("x", 100, StorageClass::Input)
            .storage("y", 1000, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 3})
            .storage("z", 50, StorageClass::Activation, {.alloc = 1, .python = 1, .free = 2})
            .storage("dz", 300, StorageClass::Temporary, {.alloc = 2, .python = 3})
            .storage("dx", 20, StorageClass::Temporary, {.alloc = 3, .python = 3})
            .op("aten.relu", {.reads = {"x"}, .outputs = {"y"}})
            .op("aten.sum", {.reads = {"y"}, .outputs = {"z"}})
            .op("aten.mul", {.reads = {"z"}, .outputs = {"dz"}, .phase = Phase::Backward})
            .op("aten.mul", {.reads = {"y", "dz"}, .outputs = {"dx"}, .phase = Phase::Backward})
            .build();
    plan::Problem problem = tests::unlimitedProblem(program);
    problem.device.bandwidth = 1e9; // a byte per ns: the ops take 1100, 1050, 350, 1320 ns
    problem.device.hostLink = 8e9;
    problem.budget = base::Bytes{1200};
    problem.reserve = base::Bytes{7};
    const solve::AccessProfile profile = solve::profileAccesses(problem).value();
    QCOMPARE(profile.staticBytes.count(), std::int64_t{107});
    QCOMPARE(profile.maximumPeak.count(), std::int64_t{7 + 100 + 1000 + 50 + 300});
    QCOMPARE(profile.minimumPeak.count(), std::int64_t{7 + 100 + 1000 + 300 + 20});
    QVERIFY(profile.peakInterval);
    QCOMPARE(profile.peakInterval->first.index(), std::size_t{2});
    QCOMPARE(profile.peakInterval->second.index(), std::size_t{3});
    QCOMPARE(profile.values.size(), std::size_t{2});
    const solve::ValueAccess& y = profile.values[0];
    QCOMPARE(y.bytes.count(), std::int64_t{1000});
    QCOMPARE(y.accesses.firstForward, 0);
    QCOMPARE(y.accesses.lastForward, 1);
    QCOMPARE(y.accesses.firstBackward, 3);
    QCOMPARE(y.accesses.lastBackward, 3);
    const std::int64_t idle = plan::opTimes(*program, problem.device)[2].count();
    QVERIFY(idle > 0);
    QCOMPARE(y.swapFree->count(), idle - 2 * 1000 / 8); // only op 2 runs while it waits
    problem.budget = profile.maximumPeak;
    problem.device.hostLink = 0;
    const solve::AccessProfile fits = solve::profileAccesses(problem).value();
    QVERIFY(!fits.peakInterval);
    QVERIFY(!fits.values[0].swapFree);
}

void AccessProfileTest::aSampleLosesWhatWaits()
{
    const plan::Problem problem = tests::problemOf("resnet18", 2'000'000'000);
    const solve::AccessProfile profile = solve::profileAccesses(problem).value();
    QVERIFY(profile.staticBytes < profile.minimumPeak);
    QVERIFY(profile.minimumPeak < profile.maximumPeak);
    QCOMPARE(profile.maximumPeak, plan::evaluate(problem, plan::keepEverything())->peak);
    QVERIFY(profile.peakInterval);
    for (const solve::ValueAccess& value : profile.values) {
        QVERIFY(value.accesses.firstForward <= value.accesses.lastForward);
        QVERIFY(value.accesses.lastForward < value.accesses.firstBackward);
        QVERIFY(value.accesses.firstBackward <= value.accesses.lastBackward);
    }
    QVERIFY(solve::profileAccesses(tests::problemOf("gpt2_prompt", 0)).value().values.empty());
}

} // namespace

PLIMSOLL_TEST(AccessProfileTest, QCoreApplication)
#include "access_profile_test.moc"
