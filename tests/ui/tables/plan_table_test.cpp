// SPDX-License-Identifier: Apache-2.0
// The plan table under the hand that drags the line: it follows in every frame, and nothing but its
// rows changes.
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/models/plan_model.h"
#include "ui/plan_tables/plan_page.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSet>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <set>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
namespace plan = plimsoll::plan;

class PlanTableTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void followsTheDraggedLine();
    void keepsTheChosenDecision();
    void paintsEachPlanOnce();
    void rowsTellTheirModules();

private:
    static QTableView& tableOf(PlannerPage& page)
    {
        for (QTableView* table : viewOf<PlanPage>(page).findChildren<QTableView*>())
            if (table->model() == viewOf<PlanPage>(page).model())
                return *table;
        qFatal("no table");
    }
};

std::vector<int> widthsOf(const QTableView& table)
{
    std::vector<int> widths;
    for (int column = 0; column < PlanModel::ColumnCount; ++column)
        widths.push_back(table.columnWidth(column));
    return widths;
}

void PlanTableTest::followsTheDraggedLine()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    QTableView& table = tableOf(*page);
    table.sortByColumn(PlanModel::ModuleColumn, Qt::AscendingOrder);
    QSignalSpy reset{&model, &QAbstractItemModel::modelReset};
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    const QPoint from = budgetHandle(*page);
    const std::vector<int> widths = widthsOf(table);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    std::set<plan::EvaluationPtr> plans;
    for (int step = 1; step <= 120; ++step) {
        // To and fro, so that rows come and go.
        const int dy = step <= 60 ? step : 120 - step;
        QTest::mouseMove(&view, from + QPoint{0, dy - 30});
        // At once, with no time for the hand to rest.
        const plan::VerifiedPlanPtr best = page->document().outcome().best;
        if (!best) {
            QCOMPARE(model.rowCount(), 0);
            continue;
        }
        plans.insert(best->evaluationPtr());
        QVERIFY(model.plan() == best);
        QCOMPARE(model.rowCount(), static_cast<int>(best->plan().regions().size()));
        for (int row = 1; row < model.rowCount(); ++row) {
            const QString above = model.index(row - 1, PlanModel::ModuleColumn).data().toString();
            const QString here = model.index(row, PlanModel::ModuleColumn).data().toString();
            QVERIFY2(above.compare(here) <= 0, "the order of the user is gone");
        }
        if (table.isVisible())
            QCOMPARE(widthsOf(table), widths);
    }
    QVERIFY2(plans.size() >= 3, "the drag met too few plans to tell anything");
    QCOMPARE(reset.count(), 0);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, from);
    QCOMPARE(table.verticalScrollBarPolicy(), Qt::ScrollBarAsNeeded);
}

void PlanTableTest::keepsTheChosenDecision()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    QTableView& table = tableOf(*page);
    QVERIFY(model.rowCount() > 1);
    table.selectRow(1);
    const PlanModel::Stretch chosen = model.stretchAt(1);
    QSignalSpy steps{&viewOf<PlanPage>(*page), &PlanPage::stepChosen};
    bool isChosen = true;
    int kept = 0;
    const auto& points = page->document().planned()->frontier->points();
    // From the plan at hand to neighbours with fewer and fewer of its decisions.
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
        if ((*point)->evaluation().peak > page->document().budget())
            continue;
        viewOf<PlanPage>(*page).showPlan(*point);
        isChosen = isChosen && model.rowOf(chosen).has_value();
        QCOMPARE(table.selectionModel()->hasSelection(), isChosen);
        if (!isChosen)
            continue;
        ++kept;
        QCOMPARE(table.selectionModel()->selectedRows().size(), 1);
        QVERIFY(model.stretchAt(table.currentIndex().row()) == chosen);
    }
    QVERIFY(kept > 0);
    QCOMPARE(steps.count(), 0); // nobody chose anything
}

/// Counts what a widget paints.
class PaintCount : public QObject
{
public:
    explicit PaintCount(QWidget& widget) { widget.installEventFilter(this); }

    bool eventFilter(QObject* /*watched*/, QEvent* event) override
    {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }

    int count = 0;
};

void PlanTableTest::paintsEachPlanOnce()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    QTableView& table = tableOf(*page);
    viewOf<PlanPage>(*page).setHeld(true); // as the hand does that drags
    const auto settle = [] {
        for (int round = 0; round < 5; ++round)
            QCoreApplication::processEvents();
    };
    settle();
    PaintCount paints{*table.viewport()};
    std::set<int> rows;
    for (const plan::VerifiedPlanPtr& point : page->document().planned()->frontier->points()) {
        if (point->plan().recomputesNothing())
            continue;
        const int before = table.model()->rowCount();
        viewOf<PlanPage>(*page).showPlan(point);
        if (table.model()->rowCount() == before)
            continue;
        rows.insert(table.model()->rowCount());
        paints.count = 0;
        settle();
        QVERIFY(table.isVisible());
        QCOMPARE(paints.count, 1);
    }
    QVERIFY(rows.size() >= 5);
}

/// Without what all rows begin with, but with the numbers of blocks; the tool tip has it all.
void PlanTableTest::rowsTellTheirModules()
{
    PlannerPage* page = openPlanned("gpt2");
    QVERIFY(page != nullptr);
    page->document().commitBudget(plimsoll::base::Bytes{std::int64_t{10} << 30});
    QVERIFY(isDone(*page));
    const PlanModel& model = *viewOf<PlanPage>(*page).model();
    QVERIFY(model.rowCount() > 5);
    QSet<QString> texts;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex cell = model.index(row, PlanModel::ModuleColumn);
        const QString text = cell.data().toString();
        QVERIFY2(text.startsWith(QStringLiteral("h.")), qPrintable(text));
        QCOMPARE(cell.data(Qt::ToolTipRole).toString().count(QStringLiteral("transformer.h.")),
                 text.count(QStringLiteral("h.")));
        texts << text;
    }
    QCOMPARE(texts.size(), model.rowCount());
}

} // namespace

PLIMSOLL_TEST(PlanTableTest, QApplication)
#include "plan_table_test.moc"
