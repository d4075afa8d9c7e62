// SPDX-License-Identifier: Apache-2.0
// The Modules page, as a user goes: look, open, sort, choose, drag, pin, go back.
#include "ui/module_page/module_page.h"

#include "ui/base/numbers.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/models/live_tree.h"
#include "ui/module_page/module_model.h"
#include "ui/plan_tables/live_page.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <string_view>

namespace {

using namespace plimsoll::ui;
using namespace plimsoll::tests;
namespace base = plimsoll::base;
namespace graph = plimsoll::graph;
namespace plan = plimsoll::plan;

class ModulePageTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void saysWhatTheOtherViewsSay();
    void choosingARowSelectsEverywhere();
    void aRowOfThePlanSelectsItsModule();
    void sortsWithinParents();
    void followsADragWithoutJumping();
    void worksByKeys();
    void costsNothingWhileHidden();

private:
    PlannerPage* openModules(const char* sample = "resnet18");
};

PlannerPage* ModulePageTest::openModules(const char* sample)
{
    PlannerPage* page = openPlanned(sample);
    if (page != nullptr)
        page->showView(QStringLiteral("modules"));
    return page;
}

QTreeView& treeOf(const ModulePage& modules)
{
    return *modules.findChild<QTreeView*>();
}

const graph::Program& programOf(PlannerPage& page)
{
    return *page.state().shown->problem().step();
}

std::size_t moduleAt(PlannerPage& page, std::string_view path)
{
    const auto& modules = programOf(page).modules;
    return static_cast<std::size_t>(std::ranges::find(modules, path, &graph::Module::path)
                                    - modules.begin());
}

QString cell(const ModuleModel& model, std::size_t module, ModuleModel::Column column)
{
    return model.indexOfModule(module).siblingAtColumn(column).data().toString();
}

void clickRow(QTreeView& tree, const QModelIndex& index)
{
    tree.scrollTo(index);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(index).center());
}

void ModulePageTest::saysWhatTheOtherViewsSay()
{
    PlannerPage* page = openModules();
    QVERIFY(page != nullptr);
    ModulePage& modules = viewOf<ModulePage>(*page);
    QVERIFY(modules.isVisible());
    ModuleModel& model = *modules.model();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    const plan::VerifiedPlanPtr shown = page->state().shown;
    QVERIFY(model.plan() == shown);
    QVERIFY(!shown->plan().recomputesNothing());
    // Bytes at the peak are those of Live at cursor at the peak, module by module.
    const LiveTreePtr live = liveTree(*shown, shown->evaluation().peakStep, LiveGrouping::Module);
    int compared = 0;
    for (const LiveNode& node : live->nodes) {
        if (!node.module)
            continue;
        QCOMPARE(cell(model, node.module->index(), ModuleModel::PeakColumn), bytesText(node.bytes));
        ++compared;
    }
    QVERIFY(compared > 20);
    // Kept, partly and wholly recomputed modules occur, and say so in two columns alike.
    bool isSeen[3] = {};
    for (std::size_t i = 1; i < programOf(*page).modules.size(); ++i) {
        const QString text = cell(model, i, ModuleModel::DecisionColumn);
        isSeen[0] = isSeen[0] || text == QStringLiteral("Kept");
        isSeen[1] = isSeen[1] || text == QStringLiteral("Partly recomputed");
        isSeen[2] = isSeen[2] || text == QStringLiteral("Recomputed");
        QCOMPARE(text == QStringLiteral("Kept"),
                 !text.isEmpty() && cell(model, i, ModuleModel::RecomputedColumn).isEmpty());
    }
    QVERIFY(isSeen[0] && isSeen[1] && isSeen[2]);
    QCOMPARE(cell(model, moduleAt(*page, "layer1.0.conv1"), ModuleModel::ClassColumn),
             QStringLiteral("Conv2d"));
}

void ModulePageTest::choosingARowSelectsEverywhere()
{
    PlannerPage* page = openModules();
    QVERIFY(page != nullptr);
    ModulePage& modules = viewOf<ModulePage>(*page);
    QTreeView& tree = treeOf(modules);
    // A module that the plan recomputes in part, so that all views have something of it.
    const ModuleModel& model = *modules.model();
    int at = 0;
    while (model.index(at, ModuleModel::DecisionColumn).data().toString()
           != QStringLiteral("Partly recomputed"))
        QVERIFY(++at < model.rowCount());
    const QModelIndex row = model.index(at, 0);
    const auto layer = static_cast<std::size_t>(row.data(ModuleModel::ModuleRole).toULongLong());
    const std::string name = programOf(*page).modules[layer].path;
    clickRow(tree, row);
    QCOMPARE(page->selection().module().value_or(0), layer);
    QCOMPARE(page->selection().step().value_or(0),
             row.data(ModuleModel::FirstStepRole).toULongLong());
    // The timeline marks the steps that run it: as many times as it begins, forward and later.
    const BudgetTimelineView& timeline = viewOf<BudgetTimelineView>(*page);
    const plan::Schedule& schedule = *page->state().shown->evaluation().schedule;
    const graph::Program& program = programOf(*page);
    std::vector<bool> isMarked(schedule.steps.size());
    for (const StepRange& run : timeline.marked())
        std::fill(isMarked.begin() + static_cast<std::ptrdiff_t>(run.begin),
                  isMarked.begin() + static_cast<std::ptrdiff_t>(run.end) + 1, true);
    for (std::size_t step = 0; step < schedule.steps.size(); ++step) {
        const std::string& path = program.modulePath(program.op(schedule.steps[step].op));
        QCOMPARE(isMarked[step], path == name || path.starts_with(name + '.'));
    }
    // The plan's first decision about it is the current row, the page itself keeps its row.
    auto* plan = viewOf<PlanPage>(*page).findChild<PlanView*>();
    const QModelIndex decision = plan->currentIndex();
    QVERIFY(decision.isValid());
    QVERIFY(tree.currentIndex().siblingAtColumn(0) == row);
    QVERIFY(page->goBack());
    QVERIFY(!page->selection().module());
    QVERIFY(timeline.marked().empty());
    QVERIFY(!tree.currentIndex().isValid());
}

void ModulePageTest::aRowOfThePlanSelectsItsModule()
{
    PlannerPage* page = openModules();
    QVERIFY(page != nullptr);
    page->showView(QStringLiteral("plan"));
    auto* plan = viewOf<PlanPage>(*page).findChild<PlanView*>();
    const QModelIndex first = plan->model()->index(0, 0);
    QTest::mouseClick(plan->viewport(), Qt::LeftButton, {}, plan->visualRect(first).center());
    const QVariant module = first.data(PlanModel::ModuleRole);
    QVERIFY(module.isValid());
    QCOMPARE(page->selection().module().value_or(0), module.toULongLong());
    QVERIFY(plan->currentIndex().siblingAtColumn(0) == first); // it stays the row that was clicked
    page->showView(QStringLiteral("modules"));
    const ModulePage& modules = viewOf<ModulePage>(*page);
    QVERIFY(treeOf(modules).currentIndex().siblingAtColumn(0)
            == modules.model()->indexOfModule(module.toULongLong()));
}

void ModulePageTest::sortsWithinParents()
{
    PlannerPage* page = openModules();
    QVERIFY(page != nullptr);
    ModulePage& modules = viewOf<ModulePage>(*page);
    ModuleModel& model = *modules.model();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    QTreeView& tree = treeOf(modules);
    const QPersistentModelIndex kept = model.indexOfModule(moduleAt(*page, "layer2"));
    const QStringList before = {model.index(0, 0).data().toString(),
                                model.index(1, 0).data().toString()};
    QCOMPARE(before, (QStringList{QStringLiteral("conv1"), QStringLiteral("bn1")}));
    const QHeaderView& header = *tree.header();
    const int x = header.sectionViewportPosition(ModuleModel::TimeColumn) + 10;
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, {x, header.height() / 2});
    if (header.sortIndicatorOrder() == Qt::AscendingOrder)
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, {x, header.height() / 2});
    const std::vector<plan::ModuleFigures> figures = plan::moduleFigures(
        programOf(*page), graph::moduleTree(programOf(*page)), page->state().shown->evaluation());
    const graph::ModuleTree tree1 = graph::moduleTree(programOf(*page));
    base::Nanoseconds last{INT64_MAX};
    for (int row = 0; row < model.rowCount(); ++row) {
        const QVariant module = model.index(row, 0).data(ModuleModel::ModuleRole);
        const std::size_t node =
            module.isValid() ? static_cast<std::size_t>(tree1.ofModule[module.toULongLong()])
                             : tree1.nodes.size();
        QVERIFY(figures[node].time <= last);
        last = figures[node].time;
    }
    QCOMPARE(kept.data().toString(), QStringLiteral("layer2"));
}

void ModulePageTest::followsADragWithoutJumping()
{
    PlannerPage* page = openModules();
    QVERIFY(page != nullptr);
    ModulePage& modules = viewOf<ModulePage>(*page);
    ModuleModel& model = *modules.model();
    QTreeView& tree = treeOf(modules);
    tree.sortByColumn(ModuleModel::RecomputedColumn, Qt::DescendingOrder);
    const auto rows = [&] {
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, 0).data().toString();
        return names;
    };
    BudgetTimelineView& timeline = viewOf<BudgetTimelineView>(*page);
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&timeline, Qt::LeftButton, {}, from);
    const QStringList order = rows();
    QStringList recomputed;
    for (int dy = 6; dy <= 90; dy += 12) {
        QTest::mouseMove(&timeline, from + QPoint{0, dy});
        QVERIFY(page->state().isDragging);
        QVERIFY(model.plan()->evaluationPtr() == page->state().shown->evaluationPtr());
        QCOMPARE(rows(), order);
        QStringList cells;
        for (int row = 0; row < model.rowCount(); ++row)
            cells << model.index(row, ModuleModel::RecomputedColumn).data().toString();
        recomputed << cells.join(u'|');
    }
    recomputed.removeDuplicates();
    QVERIFY(recomputed.size() > 1);
    QTest::keyClick(&timeline, Qt::Key_Escape);
    QTest::mouseRelease(&timeline, Qt::LeftButton, {}, from);
    QVERIFY(QTest::qWaitFor(
        [&] { return model.plan()->evaluationPtr() == page->state().shown->evaluationPtr(); }));
}

void ModulePageTest::worksByKeys()
{
    PlannerPage* page = openModules();
    QVERIFY(page != nullptr);
    ModulePage& modules = viewOf<ModulePage>(*page);
    QTreeView& tree = treeOf(modules);
    tree.setFocus();
    QTest::keyClick(&tree, Qt::Key_Home);
    QTest::keyClick(&tree, Qt::Key_Down);
    QCOMPARE(page->selection().module().value_or(0),
             tree.currentIndex().data(ModuleModel::ModuleRole).toULongLong());
    QTest::keyClick(&tree, Qt::Key_K);
    const std::vector<std::string>& pins = page->document().document().choices.pins;
    QVERIFY(QTest::qWaitFor([&] { return !page->document().document().choices.pins.empty(); }));
    QCOMPARE(QString::fromStdString(pins.front()),
             QStringLiteral("keep:") + tree.currentIndex().data(ModuleModel::GlobRole).toString());
}

void ModulePageTest::costsNothingWhileHidden()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const ModulePage& modules = viewOf<ModulePage>(*page);
    QVERIFY(!modules.isVisible());
    QVERIFY(!modules.model()->plan());
}

} // namespace

PLIMSOLL_TEST(ModulePageTest, QApplication)
#include "module_page_test.moc"
