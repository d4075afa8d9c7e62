// SPDX-License-Identifier: Apache-2.0
// The rows that plans have: repeated blocks in one, decisions, values; and what they add up to.
#include "ui/plan_tables/plan_model.h"

#include "ui/base/numbers.h"

#include "tests/support/programs/programs.h"
#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <memory>
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
    void rowsAddUpToTheEvaluation();
    void foldsRepeatedBlocks();
    void keepsRowsApartThatAreNotAlike();
    void followsDecisionsIntoOtherPlans();
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
        QCOMPARE(model.decisions().size(), plan.recomputeSteps().size());
        QCOMPARE(model.decisionCount(), static_cast<int>(model.decisions().size()));
        std::multiset<int> expected;
        std::multiset<int> shown;
        for (const plan::RecomputeStep& row : plan.recomputeSteps())
            expected.insert((*verified)->evaluation().schedule->stepOfOp[row.ops.front().index()]);
        for (const ui::PlanRow& decision : model.decisions()) {
            const auto cell = [&](int column) { return model.indexOf(decision.stretch, column); };
            QVERIFY(cell(0).isValid());
            shown.insert(cell(0).data(PlanModel::FirstStepRole).toInt());
            QVERIFY(
                cell(PlanModel::TensorColumn).data().toString().contains(QStringLiteral("tensor")));
            QVERIFY(decision.stretch.first < decision.stretch.second);
            QCOMPARE(model.stretchesAt(cell(0)), std::vector{decision.stretch});
            QCOMPARE(cell(PlanModel::CostColumn).data().toString(),
                     ui::timeText(costOf(**verified, decision.stretch.second)));
            ++rows;
        }
        QCOMPARE(shown, expected);
    }
    QVERIFY(rows > 80);
}

/// Checks that what is inside a row adds up to the row, and returns the row's figures.
ui::PlanFigures checkedSum(const plan::VerifiedPlan& verified, const ui::PlanTree& tree,
                           const ui::PlanSpot& spot)
{
    ui::PlanFigures sum;
    const ui::PlanFigures figures = tree.figuresOf(spot);
    if (spot.kind == ui::PlanSpot::Kind::Group) {
        for (const int decision : tree.groupAt(spot).rows)
            sum += checkedSum(verified, tree, {ui::PlanSpot::Kind::Decision, decision});
        if (!(sum == figures))
            qFatal("a group is not the sum of its decisions");
        return figures;
    }
    for (const ui::PlanValue& value : tree.valuesOf(spot.number)) {
        sum.saved += value.saved;
        sum.cost += value.cost;
        sum.tensors += value.bytes.count() > 0 ? 1 : 0;
        sum.moved += value.isMoved ? 1 : 0;
    }
    if (sum.saved != figures.saved || sum.cost != figures.cost || sum.tensors != figures.tensors
        || sum.moved != figures.moved)
        qFatal("a decision is not the sum of its values");
    return figures;
}

void PlanModelTest::rowsAddUpToTheEvaluation()
{
    int groups = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const graph::ProgramPtr program =
            seed % 3 == 0 ? tests::longChain(8) : tests::randomProgram(seed);
        const auto names = std::make_shared<const ui::DecisionNames>(program);
        std::vector<plan::Plan> plans{
            tests::withRandomSaves(*program, tests::randomLegalPlan(*program, seed), seed),
            tests::randomStepPlan(*program, seed)};
        if (seed % 3 != 0) // a chain has no module around it
            plans.push_back(tests::randomOpPlan(*program, seed));
        for (const plan::Plan& plan : plans) {
            plan::Problem problem = tests::unlimitedProblem(program);
            problem.device.bandwidth = 1e9;
            const auto verified = plan::certify(problem, plan);
            QVERIFY2(verified.has_value(), verified ? "" : verified.error().message.c_str());
            ui::PlanGroupNumbers numbers;
            const ui::PlanTree tree{*verified, names, numbers};
            ui::PlanFigures all;
            for (const ui::PlanSpot& spot : tree.top()) {
                all += checkedSum(**verified, tree, spot);
                groups += spot.kind == ui::PlanSpot::Kind::Group ? 1 : 0;
            }
            QCOMPARE(all.cost.count(), (*verified)->evaluation().recomputeTime.count());
        }
    }
    QVERIFY(groups > 10);
}

/// A plan that recomputes single blocks of longChain().
plan::VerifiedPlanPtr planOf(const graph::ProgramPtr& program,
                             const std::vector<std::vector<std::size_t>>& regions)
{
    plan::Plan plan;
    for (const std::vector<std::size_t>& calls : regions)
        plan.asRegions().regions.push_back(tests::regionOf(*program, calls));
    return *plan::certify(tests::unlimitedProblem(program), plan);
}

void PlanModelTest::foldsRepeatedBlocks()
{
    const graph::ProgramPtr program = tests::longChain(9);
    PlanModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    model.setPlan(planOf(program, {{0}, {1}, {2}, {4}}));
    QCOMPARE(model.rowCount(), 1);
    const QModelIndex group = model.index(0, 0);
    QCOMPARE(group.data().toString(), QStringLiteral("m0–m2, m4 · 4 regions"));
    QCOMPARE(model.stretchesAt(group).size(), std::size_t{4});
    QCOMPARE(model.rowCount(group), 4);
    QCOMPARE(model.index(1, 0, group).data().toString(), QStringLiteral("m1"));
    QCOMPARE(group.data(PlanModel::BlockLengthRole).toInt(), 9);
    QCOMPARE(group.data(PlanModel::CountLengthRole).toInt(), 12);
    QVERIFY(model.rowCount(model.index(1, 0, group)) > 0); // its values
    // Pins of some blocks are for these; of every block, for all.
    QCOMPARE(model.globsAt(group), (QStringList{QStringLiteral("m0"), QStringLiteral("m1"),
                                                QStringLiteral("m2"), QStringLiteral("m4")}));
    model.setPlan(planOf(program, {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}));
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("m0–m8 · 9 regions"));
    QCOMPARE(model.globsAt(model.index(0, 0)), QStringList{QStringLiteral("m*")});
    // The columns sort groups and what is inside.
    model.sort(PlanModel::ModuleColumn, Qt::DescendingOrder);
    QCOMPARE(model.index(0, 0, model.index(0, 0)).data().toString(), QStringLiteral("m8"));
}

void PlanModelTest::keepsRowsApartThatAreNotAlike()
{
    const graph::ProgramPtr program = tests::longChain(9);
    PlanModel model;
    model.setPlan(planOf(program, {{1}}));
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("m1")); // alone in no group
    QCOMPARE(model.decisionCount(), 1);
    // Regions of whole blocks are alike, however many blocks each has.
    model.setPlan(planOf(program, {{0, 1}, {3, 4, 5}}));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("m0–m1, m3–m5 · 2 regions"));
    QCOMPARE(model.index(0, 0, model.index(0, 0)).data().toString().left(5),
             QStringLiteral("m3 … "));
}

void PlanModelTest::followsDecisionsIntoOtherPlans()
{
    const graph::ProgramPtr program = tests::longChain(9);
    PlanModel model;
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    model.setPlan(planOf(program, {{0}, {2}, {4}}));
    const plan::VerifiedPlanPtr later = planOf(program, {{2}, {4}, {6}});
    const QPersistentModelIndex group = model.index(0, 0);
    const QPersistentModelIndex gone = model.indexOf(model.decisions()[0].stretch);
    const QPersistentModelIndex kept = model.indexOf(model.decisions()[1].stretch);
    const QPersistentModelIndex value = model.index(0, 0, kept);
    const QString text = value.data().toString();
    model.setPlan(later);
    QVERIFY(group.isValid() && !gone.isValid());
    QCOMPARE(group.data().toString(), QStringLiteral("m2, m4, m6 · 3 regions"));
    QCOMPARE(model.stretchesAt(kept).front(), model.decisions()[0].stretch);
    QCOMPARE(kept.parent(), QModelIndex{group});
    QCOMPARE(value.data().toString(), text);
    QCOMPARE(value.parent(), QModelIndex{kept});
    // Alone, the decision stays the same one.
    model.setPlan(planOf(program, {{2}}));
    QVERIFY(!group.isValid() && kept.isValid() && !kept.parent().isValid());
    model.setPlan(nullptr);
    QVERIFY(!kept.isValid() && !value.isValid());
    QCOMPARE(model.rowCount(), 0);
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
        return model.indexOf({op, before}, column).data().toString();
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
    QCOMPARE(model.indexOf({3, 1}).data(PlanModel::FirstStepRole).toInt(), 1);
    QVERIFY(model.indexOf({3, 1}, PlanModel::DecisionColumn)
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
