// SPDX-License-Identifier: Apache-2.0
// The plan table under the hand that drags the line: it follows in every frame, and nothing but its
// rows changes.
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSet>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <functional>
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
    void opensAndFoldsByHand();
    void keepsOpenWhatIsStillThere();
    void sortsByClicksOnItsHead();
    void identifiesRowsInASmallWindow();
    void hidesColumnsByMenu();
    void pinsAndCopiesByKeys();

private:
    static PlanView& treeOf(PlannerPage& page) { return viewOf<PlanView>(page); }
};

std::vector<int> widthsOf(const PlanView& table)
{
    std::vector<int> widths;
    for (int column = 0; column < PlanModel::ColumnCount; ++column)
        widths.push_back(table.columnWidth(column));
    return widths;
}

/// Rows of decisions, inside groups and beside them.
int decisionsIn(const PlanModel& model)
{
    int count = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex top = model.index(row, 0);
        const bool isGroup = model.stretchesAt(top).size() > 1;
        count += isGroup ? model.rowCount(top) : 1;
    }
    return count;
}

void PlanTableTest::followsTheDraggedLine()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    PlanView& table = treeOf(*page);
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
        QCOMPARE(model.decisions().size(), best->plan().regions().size());
        QCOMPARE(decisionsIn(model), static_cast<int>(best->plan().regions().size()));
        for (int row = 1; row < model.rowCount(); ++row)
            QVERIFY2(model.stretchesAt(model.index(row - 1, 0)).front()
                         < model.stretchesAt(model.index(row, 0)).front(),
                     "the order of the user is gone");
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
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    PlanView& table = treeOf(*page);
    QVERIFY(model.decisions().size() > 1);
    const PlanModel::Stretch chosen = model.decisions()[1].stretch;
    table.setCurrentIndex(model.indexOf(chosen));
    QSignalSpy steps{&viewOf<PlanPage>(*page), &PlanPage::stepChosen};
    bool isChosen = true;
    int kept = 0;
    const auto& points = page->document().planned()->frontier->points();
    // From the plan at hand to neighbours with fewer and fewer of its decisions.
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
        if ((*point)->evaluation().peak > page->document().budget())
            continue;
        viewOf<PlanPage>(*page).showPlan(*point);
        isChosen = isChosen && model.indexOf(chosen).isValid();
        QCOMPARE(table.selectionModel()->hasSelection(), isChosen);
        if (!isChosen)
            continue;
        ++kept;
        QCOMPARE(table.selectionModel()->selectedRows().size(), 1);
        QVERIFY(model.stretchesAt(table.currentIndex()).front() == chosen);
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
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanView& table = treeOf(*page);
    viewOf<PlanPage>(*page).setHeld(true); // as the hand does that drags
    const auto settle = [] {
        for (int round = 0; round < 5; ++round)
            QCoreApplication::processEvents();
    };
    settle();
    PaintCount paints{*table.viewport()};
    for (int row = 0; row < table.model()->rowCount(); ++row)
        table.expand(table.model()->index(row, 0));
    settle();
    const PlanModel& model = *viewOf<PlanPage>(*page).model();
    std::set<std::size_t> rows;
    for (const plan::VerifiedPlanPtr& point : page->document().planned()->frontier->points()) {
        if (point->plan().recomputesNothing())
            continue;
        const std::size_t before = model.decisions().size();
        viewOf<PlanPage>(*page).showPlan(point);
        if (model.decisions().size() == before)
            continue;
        rows.insert(model.decisions().size());
        paints.count = 0;
        settle();
        QVERIFY(table.isVisible());
        QCOMPARE(paints.count, 1);
    }
    QVERIFY(rows.size() >= 5);
}

/// Without what all modules begin with, but with the numbers of blocks; the tool tip has it all.
void PlanTableTest::rowsTellTheirModules()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    page->document().commitBudget(plimsoll::base::Bytes{std::int64_t{10} << 30});
    QVERIFY(isDone(*page));
    const PlanModel& model = *viewOf<PlanPage>(*page).model();
    int regions = 0;
    const auto check = [&](const QModelIndex& parent) {
        QSet<QString> texts;
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex cell = model.index(row, PlanModel::ModuleColumn, parent);
            const QString text = cell.data().toString();
            regions += model.stretchesAt(cell.siblingAtColumn(0)).size() == 1 ? 1 : 0;
            QVERIFY2(text.startsWith(QStringLiteral("h.")), qPrintable(text));
            QVERIFY(
                cell.data(Qt::ToolTipRole).toString().contains(QStringLiteral("transformer.h.")));
            texts << text;
        }
        QCOMPARE(texts.size(), model.rowCount(parent)); // they tell rows apart
    };
    check({});
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.stretchesAt(model.index(row, 0)).size() > 1)
            check(model.index(row, 0));
    QVERIFY(regions > 5);
}

/// Left of a row's icon.
void clickBranch(PlanView& tree, const QModelIndex& index)
{
    const QRect cell = tree.visualRect(index);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {},
                      {cell.left() - tree.indentation() / 2, cell.center().y()});
}

/// The first row that stands for several decisions.
QModelIndex groupIn(const PlanModel& model)
{
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.stretchesAt(model.index(row, 0)).size() > 1)
            return model.index(row, 0);
    return {};
}

void PlanTableTest::opensAndFoldsByHand()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    PlanView& tree = treeOf(*page);
    const QModelIndex group = groupIn(model);
    QVERIFY(group.isValid() && !tree.isExpanded(group));
    QVERIFY2(group.data().toString().startsWith(QStringLiteral("h.")),
             qPrintable(group.data().toString()));
    const auto count = static_cast<int>(model.stretchesAt(group).size());
    QVERIFY2(group.data().toString().endsWith(QStringLiteral(" · %1 regions").arg(count)),
             qPrintable(group.data().toString()));
    QVERIFY(group.data(Qt::ToolTipRole).toString().contains(QStringLiteral("transformer.h.")));
    clickBranch(tree, group);
    QVERIFY(tree.isExpanded(group));
    QCOMPARE(model.rowCount(group), count);
    clickBranch(tree, group);
    QVERIFY(!tree.isExpanded(group));

    QSignalSpy steps{&viewOf<PlanPage>(*page), &PlanPage::stepChosen};
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(group).center());
    QCOMPARE(steps.count(), 1);
    QCOMPARE(steps.takeFirst().front(), group.data(PlanModel::FirstStepRole));
    tree.setFocus();
    QTest::keyClick(&tree, Qt::Key_Right); // opens
    QVERIFY(tree.isExpanded(group));
    QTest::keyClick(&tree, Qt::Key_Right); // goes inside
    const QModelIndex region = model.index(0, 0, group);
    QCOMPARE(tree.currentIndex().siblingAtColumn(0), region);
    QCOMPARE(steps.takeLast().front(), region.data(PlanModel::FirstStepRole));
    QTest::keyClick(&tree, Qt::Key_Right);
    QTest::keyClick(&tree, Qt::Key_Down); // its first value
    QCOMPARE(tree.currentIndex().parent(), region);
    steps.clear();
    QTest::keyClick(&tree, Qt::Key_Return); // goes there once more
    QCOMPARE(steps.count(), 1);
    QCOMPARE(steps.takeFirst().front(), tree.currentIndex().data(PlanModel::FirstStepRole));
    QTest::keyClick(&tree, Qt::Key_Left);
    QTest::keyClick(&tree, Qt::Key_Left);
    QVERIFY(!tree.isExpanded(region));
    QTest::keyClick(&tree, Qt::Key_Left);
    QTest::keyClick(&tree, Qt::Key_Left);
    QVERIFY(!tree.isExpanded(group));
}

void PlanTableTest::keepsOpenWhatIsStillThere()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    PlanView& tree = treeOf(*page);
    const plan::VerifiedPlanPtr first = model.plan();
    const QModelIndex group = groupIn(model);
    const qint64 key = group.data(PlanModel::KeyRole).toLongLong();
    clickBranch(tree, group);
    clickBranch(tree, model.index(0, 0, group));
    const PlanModel::Stretch region = model.stretchesAt(model.index(0, 0, group)).front();
    viewOf<PlanPage>(*page).setHeld(true);
    int without = 0;
    int with = 0;
    for (const plan::VerifiedPlanPtr& point : page->document().planned()->frontier->points()) {
        viewOf<PlanPage>(*page).showPlan(point);
        bool isThere = false;
        for (int row = 0; row < model.rowCount(); ++row) {
            const QModelIndex top = model.index(row, 0);
            const bool isGroup = top.data(PlanModel::KeyRole).toLongLong() == key;
            const bool isAlone = model.stretchesAt(top) == std::vector{region};
            isThere = isThere || isGroup;
            QCOMPARE(tree.isExpanded(top), isGroup || isAlone);
        }
        ++(isThere ? with : without);
    }
    QVERIFY2(with > 1 && without > 1, "the group came and went");
    viewOf<PlanPage>(*page).showPlan(first);
    viewOf<PlanPage>(*page).setHeld(false);
    QVERIFY(tree.isExpanded(groupIn(model)));
    QVERIFY(tree.isExpanded(model.indexOf(region)));
}

void PlanTableTest::sortsByClicksOnItsHead()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    PlanView& tree = treeOf(*page);
    tree.expand(groupIn(model));
    const auto click = [&tree](int column) {
        QHeaderView* head = tree.header();
        QTest::mouseClick(head->viewport(), Qt::LeftButton, {},
                          {head->sectionViewportPosition(column) + 12, head->height() / 2});
    };
    const auto steps = [&model](const QModelIndex& parent) {
        std::vector<int> shown;
        for (int row = 0; row < model.rowCount(parent); ++row)
            shown.push_back(model.index(row, 0, parent).data(PlanModel::FirstStepRole).toInt());
        return shown;
    };
    click(PlanModel::ModuleColumn);
    QCOMPARE(tree.header()->sortIndicatorSection(), int{PlanModel::ModuleColumn});
    if (tree.header()->sortIndicatorOrder() == Qt::DescendingOrder)
        click(PlanModel::ModuleColumn);
    QVERIFY(model.rowCount(groupIn(model)) > 1);
    for (const QModelIndex& parent : {QModelIndex{}, groupIn(model)})
        QVERIFY2(std::ranges::is_sorted(steps(parent)), "in forward's order: h.2 before h.10");
    QVERIFY(tree.isExpanded(groupIn(model))); // stays open
    click(PlanModel::ModuleColumn);
    for (const QModelIndex& parent : {QModelIndex{}, groupIn(model)})
        QVERIFY(std::ranges::is_sorted(steps(parent), std::ranges::greater{}));
}

void PlanTableTest::identifiesRowsInASmallWindow()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    m_window->resize(1024, 640);
    planDock(*page).showPage(&viewOf<PlanPage>(*page));
    QTest::qWait(50);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    PlanView& tree = treeOf(*page);
    QVERIFY(tree.isVisible());
    tree.expandAll();
    QTest::qWait(50);
    for (QModelIndex row = model.index(0, 0); row.isValid(); row = tree.indexBelow(row)) {
        const QRect cell = tree.visualRect(row);
        QVERIFY2(cell.width() >= tree.fontMetrics().horizontalAdvance(row.data().toString()),
                 qPrintable(row.data().toString()));
        const QModelIndex saved = row.siblingAtColumn(PlanModel::SavedColumn);
        QVERIFY(tree.visualRect(saved).right() <= tree.viewport()->width());
    }
}

void PlanTableTest::hidesColumnsByMenu()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PlanView& tree = treeOf(*page);
    QSignalSpy chosen{&viewOf<PlanPage>(*page), &PlanPage::columnsChosen};
    QVERIFY(tree.isColumnHidden(PlanModel::DecisionColumn));
    const QPoint head{10, tree.header()->height() / 2};
    QContextMenuEvent event{QContextMenuEvent::Mouse, head, tree.header()->mapToGlobal(head)};
    QCoreApplication::sendEvent(tree.header()->viewport(), &event);
    auto* menu = tree.findChild<QMenu*>();
    QVERIFY(menu != nullptr && menu->isVisible());
    QTest::keyClick(menu, Qt::Key_Down);
    QTest::keyClick(menu, Qt::Key_Return); // the first one: cost
    QVERIFY(tree.isColumnHidden(PlanModel::CostColumn));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(tree.header()->length(), tree.viewport()->width()); // the others take its room
    // Kept with the view.
    const std::string& saved = page->document().document().view;
    const QJsonObject view = QJsonDocument::fromJson(QByteArray::fromStdString(saved)).object();
    QCOMPARE(view.value(QStringLiteral("planColumns")).toArray(),
             (QJsonArray{QStringLiteral("tensors"), QStringLiteral("source")}));
    // By keyboard: the row's menu has the columns, too.
    tree.setFocus();
    tree.setCurrentIndex(tree.model()->index(0, 0));
    const QPoint row = tree.visualRect(tree.currentIndex()).center();
    QContextMenuEvent key{QContextMenuEvent::Keyboard, row, tree.viewport()->mapToGlobal(row)};
    QCoreApplication::sendEvent(tree.viewport(), &key);
    auto* rowMenu = viewOf<PlanPage>(*page).findChild<QMenu*>({}, Qt::FindDirectChildrenOnly);
    QVERIFY(rowMenu != nullptr && rowMenu->isVisible());
    QCOMPARE(QString{rowMenu->actions().back()->text()}.remove(u'&'), QStringLiteral("Columns"));
    rowMenu->actions().back()->menu()->actions().front()->trigger();
    rowMenu->close();
    QVERIFY(!tree.isColumnHidden(PlanModel::CostColumn));
}

void PlanTableTest::pinsAndCopiesByKeys()
{
    PlannerPage* page = openKept("gpt2");
    QVERIFY(page != nullptr);
    PlanModel& model = *viewOf<PlanPage>(*page).model();
    PlanView& tree = treeOf(*page);
    tree.setFocus();
    tree.expandAll();
    QModelIndex value = model.index(0, 0, model.index(0, 0, groupIn(model)));
    tree.setCurrentIndex(value);
    QTest::keyClick(&tree, Qt::Key_C, Qt::ControlModifier);
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY(copied.startsWith(value.data().toString() + QChar{u'\t'}));
    QVERIFY(copied.contains(value.siblingAtColumn(PlanModel::SavedColumn).data().toString()));
    QSignalSpy pinned{&viewOf<PlanPage>(*page), &PlanPage::pinWanted};
    const QStringList globs = model.globsAt(value);
    QCOMPARE(globs.size(), 1);
    QTest::keyClick(&tree, Qt::Key_K);
    QCOMPARE(pinned.count(), 1);
    QCOMPARE(pinned.front().front().toString(), QStringLiteral("keep:") + globs.front());
}

} // namespace

PLIMSOLL_TEST(PlanTableTest, QApplication)
#include "plan_table_test.moc"
