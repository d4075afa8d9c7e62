// SPDX-License-Identifier: Apache-2.0
// The rows that a plan of the step runtime has: one for each op before which others run again.
#include "ui/models/plan_model.h"

#include "ui/base/numbers.h"

#include "tests/support/programs.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <set>

namespace {

using namespace plimsoll;
using ui::PlanModel;

class PlanModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void repeatedOpsAreRows();
};

/// Of the ops that run again before op `before`, each as long as it takes itself.
base::Nanoseconds costOf(const plan::VerifiedPlan& verified, graph::Moment before)
{
    const plan::Evaluation& evaluation = verified.evaluation();
    base::Nanoseconds cost;
    for (const plan::Again& row : verified.plan().again)
        for (const graph::OpId op : row.ops)
            if (row.before == before) {
                const auto own =
                    static_cast<std::size_t>(evaluation.schedule->stepOfOp[op.index()]);
                cost += evaluation.timeline->timeAt(own + 1) - evaluation.timeline->timeAt(own);
            }
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
        QCOMPARE(model.rowCount(), static_cast<int>(plan.again.size()));
        QCOMPARE(model.decisionCount(), model.rowCount());
        std::multiset<int> expected;
        std::multiset<int> shown;
        for (const plan::Again& row : plan.again)
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

} // namespace

QTEST_MAIN(PlanModelTest)
#include "plan_model_test.moc"
