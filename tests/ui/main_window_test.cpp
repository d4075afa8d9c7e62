// SPDX-License-Identifier: Apache-2.0
// The window end to end, as a user goes: open, plan, undo, save, open again.
#include "ui/base/numbers.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/models/program_texts.h"
#include "ui/models/run_model.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/shell/view_bar.h"
#include "ui/start_page/start_page.h"

#include "tests/support/graph_file.h"
#include "tests/support/saved_session.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTextDocument>
#include <QToolButton>

#include <algorithm>

namespace {

using plimsoll::base::Bytes;
using namespace plimsoll::tests;
using namespace plimsoll::ui;
namespace plan = plimsoll::plan;
namespace tests = plimsoll::tests;
namespace workspace = plimsoll::workspace;

class MainWindowTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void opensASampleAndPlansIt();
    void saysWhyABudgetHasNoPlan();
    void takesBackWhatItSaidOfAnUnreadableBudget();
    void undoesChoices();
    void undoesWhatWasTypedIntoAField();
    void reopensASessionAsItWasLeft();
    void savesEachChangeOfASession();
    void tellsWhyAFileCannotBeOpened();
    void keepsTheDocumentWhenAnotherFileFails();
    void cancelsPlanning();
    void closesATabInTheMiddleOfPlanning();
    void asksBeforeUnsavedWorkIsLost();
    void changesTheThemeWhileRunning();
    void fallsBackInANarrowWindow();
    void givesTablesTheRoomOfALargeScreen();
    void namesEveryAction();
    void showsNamesAsTheyAreAndNothingElse();
    void putsThePlusBesideTheTabs();
};

void MainWindowTest::opensASampleAndPlansIt()
{
    QVERIFY(currentPage() == nullptr);
    trigger("sample.resnet18");
    QVERIFY(QTest::qWaitFor([&] { return currentPage() != nullptr; }, kPatience));
    PlannerPage* page = currentPage();
    QVERIFY(isDone(*page));
    const auto best = page->document().outcome().best;
    QVERIFY(best);
    QVERIFY(best->evaluation().peak <= page->document().budget());
    QVERIFY(viewOf<BudgetTimelineView>(*page).budget() == page->document().budget());
    QVERIFY(viewOf<PlanPage>(*page).model()->rowCount() > 0);
    QCOMPARE(viewOf<RunModel>(*page).rowCount(), 1);
    QCOMPARE(page->status().text, QStringLiteral("Runs, but has to empty PyTorch's cache"));
    QCOMPARE(m_settings->recentFiles().size(), 1);
    QVERIFY(!page->isUnsaved());
    // The same file again is the same tab.
    trigger("sample.resnet18");
    QCOMPARE(m_window->pages().size(), std::size_t{1});
}

void MainWindowTest::saysWhyABudgetHasNoPlan()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const auto pale = page->document().planned()->frontier->points().front();
    const auto& timeline = viewOf<BudgetTimelineView>(*page);
    const QRect place = timeline.geometry();
    page->document().commitBudget(Bytes{200 << 20});
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    QVERIFY(!page->document().outcome().best);
    QVERIFY(page->document().shownPlan() == pale.plan);
    QVERIFY(!page->strip().isHidden());
    // It has room of its own: nothing moves, and nothing is hidden.
    QCOMPARE(timeline.geometry(), place);
    const auto rectOf = [this](const QWidget& widget) {
        return QRect{widget.mapTo(m_window.get(), QPoint{}), widget.size()};
    };
    const QRect strip = rectOf(page->strip());
    QVERIFY(strip.width() > 500 && strip.bottom() < rectOf(timeline).top());
    for (const QAbstractButton* button :
         m_window->findChild<ViewBar*>()->findChildren<QAbstractButton*>())
        if (button->isVisible() && !page->strip().isAncestorOf(button))
            QVERIFY(!rectOf(*button).intersects(strip));
    const QPoint inside = page->strip().mapTo(m_window.get(), page->strip().rect().center());
    QVERIFY(page->strip().isAncestorOf(m_window->childAt(inside))
            || m_window->childAt(inside) == &page->strip());
    const Message& message = page->strip().shown();
    QVERIFY(message.first.contains(bytesText(Bytes{200 << 20})));
    QVERIFY(message.rest.contains(QStringLiteral("must be live at once")));
    QCOMPARE(message.actions.size(), std::size_t{1});
    QVERIFY(!m_window->findChild<QAction*>(QStringLiteral("file.export"))->isEnabled());
    QVERIFY(page->status().isDanger);
    message.actions.front().run();
    QVERIFY(QTest::qWaitFor([&] { return bool{page->document().outcome().best}; }, kPatience));
    // The least budget with a plan that runs, a hair larger so that it reads as what it is.
    QVERIFY(page->document().outcome().best->evaluation().peak >= pale->evaluation().peak);
    QVERIFY(page->document().budget()
            == shownCeiling(page->document().chooser().plans().front().budget));
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    QVERIFY(page->document().choice().verdict->status == plimsoll::run::RunStatus::Runs);
    QVERIFY(page->strip().isHidden());
    QVERIFY(m_window->findChild<QAction*>(QStringLiteral("file.export"))->isEnabled());
}

void MainWindowTest::takesBackWhatItSaidOfAnUnreadableBudget()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    trigger("plan.budget");
    auto* field = viewOf<BudgetTimelineView>(*page).findChild<QLineEdit*>();
    field->setText(QStringLiteral("banana"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(page->strip().count(), std::size_t{1});
    const Bytes unplanned = page->document().planned()->unplanned->evaluation().peak;
    field->setText(bytesText(unplanned + unplanned));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(page->document().budget() > unplanned);
    QCOMPARE(page->strip().count(), std::size_t{0});
}

void MainWindowTest::undoesChoices()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const workspace::Choices before = page->document().document().choices;
    const auto planned = page->document().planned();
    workspace::Choices after = before;
    after.reserve = Bytes{512 << 20};
    page->document().commitChoices(after);
    // The old plan is shown until the new one is ready.
    QVERIFY(page->document().planned() == planned);
    QVERIFY(QTest::qWaitFor([&] { return page->document().isPlanned(); }, kPatience));
    QCOMPARE((page->document().planned()->unplanned->evaluation().peak
              - planned->unplanned->evaluation().peak)
                 .count(),
             (std::int64_t{512} << 20) - before.reserve.count());
    trigger("edit.undo");
    QVERIFY(page->document().document().choices == before);
    QVERIFY(page->document().isPlanned()); // known already
    QVERIFY(page->document().planned() == planned);
}

/// Undo in a focused field first undoes its own text, then the change that the document took from
/// it.
void MainWindowTest::undoesWhatWasTypedIntoAField()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const Bytes before = page->document().budget();
    QLineEdit* field = viewOf<BudgetPanel>(*page).findChild<QLineEdit*>();
    const QString shown = field->text();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("2.1GiB"));
    QTest::keyClick(field, Qt::Key_Return);
    const Bytes typed = page->document().budget();
    QVERIFY(typed != before);
    QTest::keyClicks(field, QStringLiteral("7"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(page->document().budget(), typed);
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(page->document().budget(), before);
    QCOMPARE(field->text(), shown);
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(page->document().budget(), typed);
}

void MainWindowTest::reopensASessionAsItWasLeft()
{
    const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const Bytes budget{std::int64_t{2200} << 20};
    page->document().commitBudget(budget);
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    page->document().runs().rename(2, QStringLiteral("the good one"));
    viewOf<BudgetTimelineView>(*page).setVisibleRange({0.25, 0.5});
    viewOf<BudgetTimelineView>(*page).setPinnedSteps({100});
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, file);
    QVERIFY(saved.wait(kPatience));
    QVERIFY(!page->isUnsaved());
    QCOMPARE(page->document().title(), QStringLiteral("work.plimsoll"));
    const auto evaluation = page->document().outcome().best->evaluationPtr();
    const plan::Plan plan = page->document().outcome().best->plan();
    const auto took = page->document().planned()->took;
    const std::size_t points = page->document().planned()->frontier->points().size();
    m_window->closePage(*m_window->pages().front());
    QVERIFY(currentPage() == nullptr);

    page = open(file);
    QVERIFY(page != nullptr);
    QVERIFY(page->document().budget() == budget);
    // The saved plan is there before anything is planned.
    QVERIFY(page->document().outcome().best);
    QVERIFY(page->document().outcome().best->plan() == plan);
    QCOMPARE(page->document().outcome().best->evaluation().peak.count(), evaluation->peak.count());
    QCOMPARE(viewOf<BudgetTimelineView>(*page).visibleRange().begin, 0.25);
    QCOMPARE(viewOf<BudgetTimelineView>(*page).visibleRange().end, 0.5);
    QCOMPARE(viewOf<BudgetTimelineView>(*page).pinnedSteps(), std::vector<std::size_t>{100});
    QCOMPARE(viewOf<RunModel>(*page).rowCount(), 2);
    QCOMPARE(viewOf<RunModel>(*page).rowAt(0).name, QStringLiteral("the good one"));
    QVERIFY(QTest::qWaitFor([&] { return page->document().isPlanned(); }, kPatience));
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined(); }, kPatience));
    QVERIFY(page->document().outcome().best->plan() == plan);
    QCOMPARE(viewOf<RunModel>(*page).rowCount(), 2);
    // The frontier is that of then, checked again: another search would take another time.
    QCOMPARE(page->document().planned()->took.count(), took.count());
    QCOMPARE(page->document().planned()->frontier->points().size(), points);
}

void MainWindowTest::savesEachChangeOfASession()
{
    const QString file = QString::fromStdString(m_folder->file("work.plimsoll"));
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_window->saveTo(*page, file);
    QVERIFY(saved.wait(kPatience));
    page->document().commitBudget(Bytes{std::int64_t{2300} << 20});
    QVERIFY(page->isUnsaved());
    QVERIFY(m_window->findChild<QTabBar*>()->tabText(1).startsWith(QStringLiteral("●")));
    QVERIFY(QTest::qWaitFor([&] { return page->document().isRefined() && !page->isUnsaved(); },
                            kPatience));
    QVERIFY(!m_window->findChild<QTabBar*>()->tabText(1).startsWith(QStringLiteral("●")));
    // Another reader sees what the window shows as saved.
    const auto content = plimsoll::tests::loadSession(file.toStdString());
    QVERIFY(content);
    QCOMPARE(content->plan.problem.budgetBytes, std::int64_t{2300} << 20);
    QCOMPARE(content->plan.runs.size(), std::size_t{2});
}

void MainWindowTest::tellsWhyAFileCannotBeOpened()
{
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    const QString path = QString::fromStdString(m_folder->fileWith("bad.json", "{\"format\":"));
    m_window->openFiles({path});
    QVERIFY(failed.wait(kPatience));
    QVERIFY(m_window->startPage().hasError());
    QVERIFY(m_window->pages().empty());
    QVERIFY(m_settings->recentFiles().isEmpty());
    // A file that opens takes the message away.
    QVERIFY(open(sampleFile("resnet18")) != nullptr);
    QVERIFY(!m_window->startPage().hasError());
}

void MainWindowTest::keepsTheDocumentWhenAnotherFileFails()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QSignalSpy failed{m_window.get(), &MainWindow::openFailed};
    m_window->openFiles({QStringLiteral("/nowhere/at/all.json")});
    QVERIFY(failed.wait(kPatience));
    QVERIFY(currentPage() == page);
    QVERIFY(!page->strip().isHidden());
    QVERIFY(page->strip().shown().first.contains(QStringLiteral("all.json")));
    QVERIFY(page->document().outcome().best);
}

void MainWindowTest::cancelsPlanning()
{
    PlannerPage* page = open(sampleFile("densenet121"));
    QVERIFY(page != nullptr);
    const auto first = page->document().planned();
    QVERIFY(page->document().isPlanning());
    trigger("plan.stop");
    QVERIFY(QTest::qWaitFor([&] { return !page->document().isPlanning(); }, kPatience));
    // The old plan remains, or the best one known by then.
    QVERIFY(page->document().planned()->choices == first->choices);
    QVERIFY(page->document().planned()->smallestPeak <= first->smallestPeak);
    QVERIFY(!page->document().isPlanned());
    trigger("plan.now");
    QVERIFY(page->document().isPlanning());
}

void MainWindowTest::closesATabInTheMiddleOfPlanning()
{
    PlannerPage* page = open(sampleFile("densenet121"));
    QVERIFY(page != nullptr);
    QVERIFY(page->document().isPlanning());
    QPointer<PlannerPage> guard{page};
    m_window->closePage(*m_window->pages().front());
    QVERIFY(currentPage() == nullptr);
    QVERIFY(QTest::qWaitFor([&] { return guard.isNull(); }, kPatience));
}

void MainWindowTest::asksBeforeUnsavedWorkIsLost()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    int asked = 0;
    auto answer = MainWindow::CloseAnswer::Keep;
    m_window->setCloseQuestion([&](const QString&) {
        ++asked;
        return answer;
    });
    page->document().commitBudget(Bytes{std::int64_t{2300} << 20});
    m_window->closePage(*m_window->pages().front());
    QCOMPARE(asked, 1);
    QVERIFY(currentPage() == page);
    QVERIFY(!m_window->close());
    QCOMPARE(asked, 2);
    answer = MainWindow::CloseAnswer::Discard;
    m_window->closePage(*m_window->pages().front());
    QCOMPARE(asked, 3);
    QVERIFY(m_window->pages().empty());
}

void MainWindowTest::changesTheThemeWhileRunning()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const auto panelAt = [&] {
        return m_window->grab().toImage().pixelColor(m_window->width() - 10,
                                                     m_window->height() / 2);
    };
    trigger("theme.light");
    QTest::qWait(50);
    const QColor light = panelAt();
    trigger("theme.dark");
    QTest::qWait(50);
    const QColor dark = panelAt();
    QVERIFY(m_theme->isDark());
    QVERIFY(light.lightness() > 200);
    QVERIFY(dark.lightness() < 80);
    QVERIFY(m_settings->theme() == ThemeChoice::Dark);
}

void MainWindowTest::fallsBackInANarrowWindow()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    m_window->resize(1024, 640);
    QTest::qWait(50);
    QCOMPARE(m_window->size(), QSize(1024, 640));
    QVERIFY(viewOf<BudgetTimelineView>(*page).width() >= 560);
    QVERIFY(viewOf<BudgetTimelineView>(*page).width() > 900);
    m_window->resize(1440, 900);
    QTest::qWait(50);
    QVERIFY(viewOf<BudgetTimelineView>(*page).width() < 1200);
}

void MainWindowTest::givesTablesTheRoomOfALargeScreen()
{
    PlannerPage* page = openPlanned("unet");
    QVERIFY(page != nullptr);
    const auto* table = &viewOf<PlanView>(*page);
    const auto rows = [table] {
        QTest::qWait(50);
        return table->viewport()->height()
               / table->visualRect(table->model()->index(0, 0)).height();
    };
    const auto* frontier = page->findChild<QDockWidget*>(QStringLiteral("frontier"));
    QVERIFY(frontier != nullptr);
    const int few = rows();
    QVERIFY2(few >= 5 && few <= 9, qPrintable(QString::number(few)));
    const QSize small = frontier->size();
    m_window->resize(3840, 2160);
    QVERIFY2(rows() >= 18, qPrintable(QString::number(rows())));
    QVERIFY(frontier->width() > 2 * small.width());
    QVERIFY(viewOf<BudgetTimelineView>(*page).height()
            > 2 * frontier->height() - 200); // still the larger part
    m_window->resize(1440, 900);
    QCOMPARE(rows(), few);
    QCOMPARE(frontier->height(), small.height());
    // A height that was given by hand stays.
    const QPoint grip{page->width() / 3, frontier->y() - 3};
    QTest::mousePress(page, Qt::LeftButton, {}, grip);
    QTest::mouseMove(page, grip - QPoint{0, 60});
    QTest::qWait(30); // Qt moves the docks in its own time
    QTest::mouseRelease(page, Qt::LeftButton, {}, grip - QPoint{0, 60});
    QTRY_VERIFY(frontier->height() > small.height() + 40);
    const int chosen = frontier->height();
    m_window->resize(3840, 2160);
    QTest::qWait(50);
    QCOMPARE(frontier->height(), chosen);
}

void MainWindowTest::namesEveryAction()
{
    QSet<QKeySequence> keys;
    for (const QAction* action : m_window->actions()) {
        QVERIFY(!action->text().isEmpty());
        QVERIFY(!action->objectName().isEmpty());
        if (action->shortcut().isEmpty())
            continue;
        QVERIFY2(!keys.contains(action->shortcut()), qPrintable(action->objectName()));
        keys.insert(action->shortcut());
    }
}

/// A graph may give its modules, tensors and sources any names.
void MainWindowTest::showsNamesAsTheyAreAndNothingElse()
{
    std::string text = tests::graphText(tests::layeredProgram(200));
    const auto replaceAll = [&text](std::string_view what, std::string_view by) {
        for (std::size_t at = text.find(what); at != std::string::npos;
             at = text.find(what, at + by.size()))
            text.replace(at, what.size(), by);
    };
    replaceAll("\"fc", R"("f\u202e<b>\nc)");
    replaceAll("aten.", R"(aten.\u2066\u0007)");
    const QString path = QString::fromStdString(m_folder->fileWith("R&D \xe2\x80\xae.json", text));
    PlannerPage* page = open(path);
    QVERIFY(page != nullptr);
    QVERIFY(QTest::qWaitFor([&] { return page->document().isPlanned(); }, kPatience));
    const auto isClean = [](const QString& shown) {
        return std::none_of(shown.begin(), shown.end(), [](QChar c) {
            return c.category() == QChar::Other_Control || c.category() == QChar::Other_Format;
        });
    };
    const auto& tabs = *m_window->findChild<QTabBar*>();
    QVERIFY(tabs.tabText(1).contains(QStringLiteral("R&&D")));
    QVERIFY(isClean(tabs.tabText(1)));
    QVERIFY(isClean(tabs.tabToolTip(1)));
    QVERIFY(isClean(m_window->windowTitle()));
    const auto shown = page->document().shownPlan();
    const auto& program = *shown->problem().step();
    for (std::size_t step = 0; step < program.ops.size(); ++step) {
        const HoverContent hover = hoverContentOf(*shown, step);
        for (const QString& line : {hover.title, hover.where, hover.source, hover.note})
            QVERIFY2(isClean(line), qPrintable(line));
        QVERIFY(isClean(opPlace(program, plimsoll::graph::OpId{step})));
    }
    for (std::size_t storage = 0; storage < program.storages.size(); ++storage)
        QVERIFY(isClean(storageTitle(program, plimsoll::graph::StorageId{storage})));
    const PlanModel& plan = *viewOf<PlanPage>(*page).model();
    QModelIndexList rows{QModelIndex{}}; // and those inside them
    for (qsizetype at = 0; at < rows.size(); ++at)
        for (int row = 0; row < plan.rowCount(rows[at]); ++row) {
            rows << plan.index(row, 0, rows[at]);
            for (int column = 0; column < plan.columnCount(); ++column) {
                const QModelIndex cell = plan.index(row, column, rows[at]);
                const QString tip = cell.data(Qt::ToolTipRole).toString();
                QVERIFY(isClean(cell.data().toString()));
                QVERIFY(!Qt::mightBeRichText(tip) || tip.contains(QStringLiteral("&lt;")));
            }
        }
}

void MainWindowTest::putsThePlusBesideTheTabs()
{
    const auto& tabs = *m_window->findChild<QTabBar*>();
    const QToolButton* plus = nullptr;
    for (const QToolButton* button : m_window->findChildren<QToolButton*>())
        if (button->accessibleName() == QStringLiteral("Open a file in a new tab"))
            plus = button;
    QVERIFY(plus != nullptr);
    QCOMPARE(tabs.count(), 1);
    const int gap = plus->geometry().left() - (tabs.x() + tabs.tabRect(0).right());
    QVERIFY2(gap >= 0 && gap <= 8, qPrintable(QString::number(gap)));
}

} // namespace

PLIMSOLL_TEST(MainWindowTest, QApplication)
#include "main_window_test.moc"
