// SPDX-License-Identifier: Apache-2.0
// Predicted and measured curves on one axis, and which of several equal blocks is the predicted
// one.
#include "core/waterfall/curves.h"

#include "tests/support/programs/predicted_recording.h"
#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <utility>

using namespace plimsoll;
using base::Bytes;
using graph::Phase;
using graph::StorageClass;
using tests::PredictedRecording;
using Placed = PredictedRecording::Stack;

namespace {

/// Two values, of which the first op makes both, and a backward.
compare::PredictedStep smallStep()
{
    compare::PredictedStep step;
    step.problem = tests::unlimitedProblem(
        tests::aProgram()
            .storage("x", 512, StorageClass::Input)
            .storage("y", 4000, StorageClass::Activation, {.alloc = 0, .python = 1, .free = 2})
            .storage("mask", 700, StorageClass::Activation, {.alloc = 0, .python = 0, .free = 2})
            .storage("out", 1600, StorageClass::Output, {.alloc = 1})
            .storage("g", 3000, StorageClass::Temporary, {.alloc = 2, .python = 2})
            .op("aten.native_dropout.default", {.reads = {"x"}, .outputs = {"y", "mask"}})
            .op("aten.relu.default", {.reads = {"y"}, .outputs = {"out"}})
            .op("aten.mul.Tensor",
                {.reads = {"y", "mask"}, .outputs = {"g"}, .phase = Phase::Backward})
            .build());
    step.plan = plan::keepEverything();
    step.evaluation = plan::evaluate(step.problem, step.plan);
    return step;
}

class CurvesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bothSidesAreOnOneAxis();
    void resultsOfAnOpComeInAnyOrder();
    void ofEqualBlocksTheOneThatLivesAsLongIsPredicted();
};

void CurvesTest::bothSidesAreOnOneAxis()
{
    const compare::PredictedStep step = smallStep();
    PredictedRecording recording{step};
    const waterfall::Measured measured{recording.trace(), 0};
    const auto found = waterfall::buildWaterfall(step.problem, step.plan, measured);
    QVERIFY(found);
    const waterfall::AlignedCurvesPtr curves = waterfall::alignCurves(**found, measured);
    // Three ops, and allocations of y, mask, out, g, frees of y, mask, out, g: eight events.
    QCOMPARE(curves->stepAt.size(), std::size_t{3 + 8});
    QCOMPARE(curves->ground->stepCount(), curves->stepAt.size());
    QVERIFY(!curves->isTimed); // ops of this device take no time
    QCOMPARE(curves->predicted[curves->predictedPeak], std::int64_t{9812});
    QCOMPARE(curves->measured[curves->measuredPeak], std::int64_t{9812});
    QCOMPARE(curves->stepAt[curves->measuredPeak], 2U);
    for (std::size_t at = 0; at < curves->stepAt.size(); ++at)
        QCOMPARE(curves->ground->totalAt(at).count(), curves->predicted[at]);
    const std::vector<timeline::Band>& bands = curves->ground->bands();
    QCOMPARE(bands.size(), std::size_t{2});
    QCOMPARE(bands[0].label, std::string{"Forward"});
    QCOMPARE(bands[1].label, std::string{"Backward"});
    // A matched allocation is behind the beginning of its op; backward begins with the third op.
    QCOMPARE(curves->stepAt, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2}));
    QCOMPARE(bands[1].begin, 5U);
    QCOMPARE(bands[1].end, 10U);
    QCOMPARE(curves->measured[4], std::int64_t{512 + 4000 + 700 + 1600});
    QCOMPARE(curves->measured[6], std::int64_t{9812});
}

void CurvesTest::resultsOfAnOpComeInAnyOrder()
{
    const compare::PredictedStep step = smallStep();
    PredictedRecording recording{step};
    std::swap(recording.happenings[0], recording.happenings[1]); // the mask before y
    const auto found = waterfall::buildWaterfall(step.problem, step.plan, {recording.trace(), 0});
    QVERIFY(found);
    QCOMPARE((*found)->match.found(), std::size_t{4});
    QCOMPARE((*found)->measuredPeak, (*found)->predictedPeak);
    for (const waterfall::WaterfallRow& row : (*found)->rows)
        if (row.reason <= waterfall::Reason::NotExplained)
            QVERIFY2(row.instances.empty() && row.allocations.empty() && row.bytes.count() == 0,
                     waterfall::reasonKey(row.reason));
}

void CurvesTest::ofEqualBlocksTheOneThatLivesAsLongIsPredicted()
{
    const compare::PredictedStep step = smallStep();
    PredictedRecording recording{step};
    // Something of y's size before it, which is gone before the peak.
    recording.insert(0, 3, {4000, Placed::Forward, false, {}});
    const auto found = waterfall::buildWaterfall(step.problem, step.plan, {recording.trace(), 0});
    QVERIFY(found);
    QCOMPARE((*found)->match.found(), std::size_t{4});
    for (const waterfall::WaterfallRow& row : (*found)->rows)
        if (row.reason != waterfall::Reason::OtherPlace
            && row.reason <= waterfall::Reason::NotExplained)
            QVERIFY2(row.instances.empty()
                         && row.bytes.count() == (row.allocations.empty() ? 0 : 4000),
                     waterfall::reasonKey(row.reason));
    // The second one of that size is y. (The first allocation is x, which is older.)
    QCOMPARE((*found)->match.instanceOf[1], memtrace::kNone);
    QCOMPARE((*found)->match.instanceOf[2], 1U);
}

} // namespace

PLIMSOLL_TEST(CurvesTest, QCoreApplication)
#include "curves_test.moc"
