// SPDX-License-Identifier: Apache-2.0
// The rows that a plan of the step runtime has: one for each op before which others run again.
#include "ui/models/plan_model.h"

#include "ui/base/numbers.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace plimsoll;
using ui::PlanModel;

class PlanModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repeatedOpsAreRows();
    void movedOpsAreNoRepetitions();
};

base::Nanoseconds timeOf(const plan::VerifiedPlan& verified, graph::OpId op)
{
    const plan::Evaluation& evaluation = verified.evaluation();
    const auto own = static_cast<std::size_t>(evaluation.schedule->stepOfOp[op.index()]);
    return evaluation.timeline->timeAt(own + 1) - evaluation.timeline->timeAt(own);
}

/// Of the ops that run again before op `before`, each as long as it takes itself.
base::Nanoseconds costOf(const plan::VerifiedPlan& verified, graph::OpIndex before)
{
    base::Nanoseconds cost;
    for (const plan::RecomputeStep& row : verified.plan().recomputeSteps())
        for (const graph::OpId op : row.ops)
            if (row.before == before)
                cost += timeOf(verified, op);
    return cost;
}

void PlanModelTest::repeatedOpsAreRows()
{
    PlanModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    int rows = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const graph::ProgramPtr program = tests::randomProgram(seed);
        const plan::Plan plan = tests::randomStepPlan(*program, seed);
        const auto verified = plan::certify(tests::unlimitedProblem(program), plan);
        QVERIFY(verified.has_value());
        model.setPlan(*verified);
        QCOMPARE(model.rowCount(), static_cast<int>(plan.recomputeSteps().size()));
        QCOMPARE(model.decisionCount(), model.rowCount());
        std::multiset<int> expected;
        std::multiset<int> shown;
        for (const plan::RecomputeStep& row : plan.recomputeSteps())
            expected.insert((*verified)->evaluation().schedule->stepOfOp[row.ops.front().index()]);
        for (int row = 0; row < model.rowCount(); ++row) {
            shown.insert(model.index(row, 0).data(PlanModel::FirstStepRole).toInt());
            QVERIFY(model.index(row, PlanModel::TensorColumn)
                        .data()
                        .toString()
                        .contains(QStringLiteral("tensor")));
            const PlanModel::Stretch stretch = model.stretchAt(row);
            QVERIFY(stretch.first < stretch.second);
            QVERIFY(model.rowOf(stretch).has_value());
            QCOMPARE(model.index(row, PlanModel::CostColumn).data().toString(),
                     ui::timeText(costOf(**verified, stretch.second)));
        }
        QCOMPARE(shown, expected);
        rows += model.rowCount();
    }
    QVERIFY(rows > 80);
}

/// A large value for each of three branches, then what is left of it: 0..2 make the large ones.
graph::ProgramPtr branches()
{
    using graph::StorageClass;
    tests::ProgramBuilder program = tests::aProgram();
    program.storage("w", 1, StorageClass::Parameter);
    const std::vector<std::string> large{"a0", "a1", "a2"};
    const std::vector<std::string> small{"c0", "c1", "c2"};
    for (int branch = 0; branch < 3; ++branch)
        program.storage(large[static_cast<std::size_t>(branch)], 1000, StorageClass::Activation,
                        {.alloc = branch, .python = 3 + branch});
    for (int branch = 0; branch < 3; ++branch)
        program.storage(small[static_cast<std::size_t>(branch)], 10, StorageClass::Activation,
                        {.alloc = 3 + branch, .python = 6});
    program.storage("l", 100, StorageClass::Output, {.alloc = 6})
        .storage("gw", 1, StorageClass::Gradient, {.alloc = 7});
    for (const std::string& name : large)
        program.op("aten.exp.default", {.reads = {"w"}, .outputs = {name}});
    for (std::size_t branch = 0; branch < 3; ++branch)
        program.op("aten.sum.default", {.reads = {large[branch]}, .outputs = {small[branch]}});
    program.op("aten.stack.default",
               {.reads = small, .outputs = {"l"}, .phase = graph::Phase::Loss});
    program.op("aten.mul.Tensor",
               {.reads = {"l"}, .outputs = {"gw"}, .phase = graph::Phase::Backward});
    return program.call("", 0, 5, {"w"}, small).build();
}

/// What only runs ahead of its place is no recomputation, costs nothing and is said to be moved.
void PlanModelTest::movedOpsAreNoRepetitions()
{
    using graph::OpId;
    plan::Plan plan;
    // c0 behind a0; before a2 c1, and a0 and c0 once more.
    plan.asSchedule().recomputeSteps = {{1, {OpId{3}}}, {2, {OpId{0}, OpId{3}, OpId{4}}}};
    const auto verified = plan::certify(tests::unlimitedProblem(branches()), plan);
    QVERIFY2(verified.has_value(), verified ? "" : verified.error().message.c_str());
    PlanModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    model.setPlan(*verified);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.decisionCount(), 1);
    QCOMPARE(model.movedCount(), 2);
    const auto text = [&model](graph::OpIndex op, graph::OpIndex before, int column) {
        return model.index(*model.rowOf({op, before}), column).data().toString();
    };
    QCOMPARE(text(3, 1, PlanModel::DecisionColumn), QStringLiteral("move"));
    QCOMPARE(text(3, 1, PlanModel::TensorColumn), QStringLiteral("1 op moved"));
    QCOMPARE(text(3, 1, PlanModel::CostColumn), ui::timeText({}));
    QCOMPARE(text(3, 1, PlanModel::SavedColumn), ui::bytesText({}));
    QCOMPARE(text(0, 2, PlanModel::DecisionColumn), QStringLiteral("recompute"));
    QCOMPARE(text(0, 2, PlanModel::TensorColumn), QStringLiteral("2 tensors, 1 op moved"));
    QCOMPARE(text(0, 2, PlanModel::CostColumn),
             ui::timeText(costOf(**verified, 2) - timeOf(**verified, OpId{4})));
    // A row leads to where its op runs, which is not its place in the recorded order.
    QCOMPARE(model.index(*model.rowOf({3, 1}), 0).data(PlanModel::FirstStepRole).toInt(), 1);
    QVERIFY(model.index(*model.rowOf({3, 1}), PlanModel::DecisionColumn)
                .data(Qt::ToolTipRole)
                .toString()
                .contains(QStringLiteral("ahead of their place")));
    // Plans that only move things are sorted with the rest and leave nothing behind.
    model.sort(PlanModel::DecisionColumn);
    QCOMPARE(model.index(0, PlanModel::DecisionColumn).data().toString(), QStringLiteral("move"));
    model.setPlan(nullptr);
    QCOMPARE(model.movedCount(), 0);
}

} // namespace

PLIMSOLL_TEST(PlanModelTest, QApplication)
#include "plan_model_test.moc"
