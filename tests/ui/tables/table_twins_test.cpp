// SPDX-License-Identifier: Apache-2.0
// The plots as tables: the same figures, kept in step with the plan, rows that lead back.
#include "ui/base/numbers.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/frontier/frontier_view.h"
#include "ui/models/point_model.h"
#include "ui/models/step_model.h"
#include "ui/planner_page/plan_texts.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QTableView>
#include <QTest>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;

class TableTwinsTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void showsTheTimelineAsATable();
    void followsThePlan();
    void showsTheFrontierAsATable();

private:
    [[nodiscard]] QTableView& table(const char* name) const
    {
        return *currentPage()->findChild<QTableView*>(QString::fromLatin1(name));
    }
    static QString cell(const QTableView& table, int row, int column)
    {
        return table.model()->index(row, column).data().toString();
    }
};

void TableTwinsTest::showsTheTimelineAsATable()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QTableView& steps = table("steps");
    QVERIFY(!steps.isVisible());
    QCOMPARE(steps.model()->rowCount(), 0); // hidden, it costs nothing
    const QAbstractItemModelTester tester{steps.model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    viewOf<BudgetTimelineView>(*page).goToPeak();
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_T,
                    Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(steps.isVisible() && steps.hasFocus());
    const auto& evaluation = page->document().shownPlan()->evaluation();
    QCOMPARE(steps.model()->rowCount(), static_cast<int>(evaluation.timeline->stepCount()));
    QCOMPARE(steps.model()->columnCount(), 14);
    const int peak = static_cast<int>(evaluation.peakStep);
    QCOMPARE(steps.currentIndex().row(), peak);
    QCOMPARE(cell(steps, peak, StepModel::TotalColumn), bytesText(evaluation.peak, Rounding::Up));
    QCOMPARE(cell(steps, 0, StepModel::OpColumn), QStringLiteral("convolution"));
    QCOMPARE(cell(steps, 0, StepModel::ModuleColumn), QStringLiteral("conv1"));
    QCOMPARE(cell(steps, 0, StepModel::PhaseColumn), QStringLiteral("forward"));
    QCOMPARE(cell(steps, 0, StepModel::FirstClassColumn),
             bytesText(evaluation.timeline->stackAt(0)[0]));
    // A row is a step of the timeline.
    QTest::keyClick(&steps, Qt::Key_Down);
    QCOMPARE(viewOf<BudgetTimelineView>(*page).cursorStep(), evaluation.peakStep + 1);
    QTest::keyClick(&steps, Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!steps.isVisible());
}

void TableTwinsTest::followsThePlan()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    trigger("view.table");
    QTableView& steps = table("steps");
    page->document().commitBudget(page->document().planned()->smallestPeak);
    const auto stepCount = [page] {
        return static_cast<int>(page->document().shownPlan()->evaluation().timeline->stepCount());
    };
    QVERIFY(QTest::qWaitFor([&] { return steps.model()->rowCount() == stepCount(); }, kPatience));
    const auto& schedule = *page->document().shownPlan()->evaluation().schedule;
    int again = -1;
    for (std::size_t i = 0; i < schedule.steps.size() && again < 0; ++i)
        if (schedule.steps[i].region >= 0)
            again = static_cast<int>(i);
    QVERIFY(again >= 0);
    QVERIFY(cell(steps, again, StepModel::OpColumn).endsWith(QStringLiteral(", recomputed")));
    QCOMPARE(cell(steps, again, StepModel::PhaseColumn), QStringLiteral("backward"));
}

void TableTwinsTest::showsTheFrontierAsATable()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QTableView& points = table("points");
    const QAbstractItemModelTester tester{points.model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    viewOf<FrontierView>(*page).setFocus();
    QTest::keyClick(&viewOf<FrontierView>(*page), Qt::Key_T,
                    Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(points.isVisible() && points.hasFocus());
    const auto& frontier = page->document().planned()->frontier->points();
    QCOMPARE(points.model()->rowCount(), static_cast<int>(frontier.size()));
    QCOMPARE(cell(points, 0, PointModel::PeakColumn),
             bytesText(frontier.front()->evaluation().peak, Rounding::Up));
    QCOMPARE(cell(points, static_cast<int>(frontier.size()) - 1, PointModel::SlowDownColumn),
             QStringLiteral("0")); // the unplanned step itself
    QTest::keyClick(&points, Qt::Key_Return);
    QVERIFY(page->document().budget() == shownCeiling(frontier.front()->evaluation().peak));
}

} // namespace

PLIMSOLL_TEST(TableTwinsTest, QApplication)
#include "table_twins_test.moc"
