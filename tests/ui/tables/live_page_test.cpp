// SPDX-License-Identifier: Apache-2.0
// Live at cursor, as a user goes: point at the timeline, look, group, open, jump, drag.
#include "ui/plan_tables/live_page.h"

#include "core/plan/pins.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/live_model.h"
#include "ui/plan_tables/pin_page.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace {

using namespace plimsoll::ui;
using namespace plimsoll::tests;

class LivePageTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void showsWhatIsLiveWhereThePointerIs();
    void groupsByClassAtAClick();
    void restsWhileHidden();
    void waitsForTheHandToRest();
    void pinsWhatARowStandsForByItsMenu();
    void jumpsToWhereARowBegins(); // last: its double click would swallow a click on a tab

private:
    /// A planned step whose middle is pointed at, with what is live there; null: it failed.
    PlannerPage* openPointedAt();
};

bool waitForPlan(PlannerPage& page)
{
    return QTest::qWaitFor(
        [&] { return page.document().isPlanned() && page.document().isRefined(); }, kPatience);
}

/// Moves the mouse to a share of the plot's width; from elsewhere, so that it does move.
void pointAt(PlannerPage& page, double share)
{
    BudgetTimelineView& timeline = viewOf<BudgetTimelineView>(page);
    const int x = static_cast<int>(70 + share * (timeline.width() - 200));
    QTest::mouseMove(&timeline, {x + 9, 4});
    QTest::mouseMove(&timeline, {x, timeline.height() / 2});
}

bool waitForTree(LivePage& live, int before)
{
    return QTest::qWaitFor([&] { return live.growths() > before; }, kPatience);
}

PlannerPage* LivePageTest::openPointedAt()
{
    PlannerPage* page = openPlanned();
    if (page == nullptr)
        return nullptr;
    chooseTab(*page, QStringLiteral("Live at cursor"));
    pointAt(*page, 0.5);
    return waitForTree(viewOf<LivePage>(*page), 0) ? page : nullptr;
}

QStringList textsOf(const QWidget& widget)
{
    QStringList texts;
    for (const TextLabel* label : widget.findChildren<TextLabel*>())
        if (label->isVisible())
            texts << label->text();
    return texts;
}

void LivePageTest::showsWhatIsLiveWhereThePointerIs()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    chooseTab(*page, QStringLiteral("Live at cursor"));
    QVERIFY(live.isVisible());
    QVERIFY(textsOf(live).contains(QStringLiteral("Point at the timeline.")));
    for (const double share : {0.1, 0.5, 0.9}) {
        const int before = live.growths();
        pointAt(*page, share);
        QVERIFY(waitForTree(live, before));
        const auto tree = live.model()->tree();
        QVERIFY(tree->evaluation == page->document().shownPlan()->evaluationPtr());
        QVERIFY(tree->total == tree->evaluation->timeline->totalAt(tree->step));
        // The sum in the page's head is that of the status bar and the hover card.
        const QString sum = bytesText(tree->total, Rounding::Up);
        QVERIFY(textsOf(live).join(u'\n').contains(sum));
        QVERIFY(live.model()->rowCount() > 1);
    }
    // Away from the plot the last tree stays: else nobody could read it.
    const auto last = live.model()->tree();
    QTest::mouseMove(&live, live.rect().center());
    QTest::qWait(150);
    QVERIFY(live.model()->tree() == last);
}

void LivePageTest::groupsByClassAtAClick()
{
    PlannerPage* page = openPointedAt();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    const auto byModule = live.model()->tree();
    const int before = live.growths();
    for (QToolButton* button : live.findChildren<QToolButton*>())
        if (button->text() == QStringLiteral("Class"))
            QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(waitForTree(live, before));
    const auto byClass = live.model()->tree();
    QVERIFY(byClass->total == byModule->total);
    for (const int top : byClass->top)
        QVERIFY(byClass->nodes[static_cast<std::size_t>(top)].category.has_value());
    // The largest group stands open and says its class in words.
    auto* view = live.findChild<QTreeView*>();
    QVERIFY(view->isExpanded(live.model()->index(0, 0)));
    QVERIFY(!live.model()->index(0, LiveModel::ClassColumn).data().toString().isEmpty());
}

void LivePageTest::jumpsToWhereARowBegins()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    chooseTab(*page, QStringLiteral("Live at cursor"));
    live.setGrouping(LiveGrouping::Class);
    pointAt(*page, 0.5);
    QVERIFY(waitForTree(live, 0));
    const auto tree = live.model()->tree();
    int node = -1;
    for (std::size_t i = 0; i < tree->nodes.size(); ++i)
        if (tree->nodes[i].since && *tree->nodes[i].since < tree->step)
            node = static_cast<int>(i);
    QVERIFY(node >= 0);
    const std::size_t since = *tree->nodes[static_cast<std::size_t>(node)].since;
    auto* view = live.findChild<QTreeView*>();
    const QModelIndex index = live.model()->indexOfNode(node);
    view->expand(index.parent());
    view->scrollTo(index);
    const int before = live.growths();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
    QTest::mouseDClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
    QVERIFY(waitForTree(live, before));
    QCOMPARE(live.model()->tree()->step, since);
}

void LivePageTest::restsWhileHidden()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    for (const double share : {0.2, 0.5, 0.8})
        pointAt(*page, share);
    QTest::qWait(200);
    QCOMPARE(live.growths(), 0);
    // Shown, it catches up with the last place.
    chooseTab(*page, QStringLiteral("Live at cursor"));
    QVERIFY(waitForTree(live, 0));
    QCOMPARE(live.growths(), 1);
}

void LivePageTest::waitsForTheHandToRest()
{
    PlannerPage* page = openPointedAt();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    const auto pointed = live.model()->tree();
    const auto op = pointed->evaluation->schedule->steps[pointed->step].op;
    const QPoint from = budgetHandle(*page);
    QTest::mousePress(&viewOf<BudgetTimelineView>(*page), Qt::LeftButton, {}, from);
    const int before = live.growths();
    for (int dy = 1; dy <= 40; ++dy)
        QTest::mouseMove(&viewOf<BudgetTimelineView>(*page),
                         from + QPoint{0, 2 * dy}); // no event loop in between
    QCOMPARE(live.growths(), before);
    QTest::mouseRelease(&viewOf<BudgetTimelineView>(*page), Qt::LeftButton, {},
                        from + QPoint{0, 80});
    QVERIFY(waitForTree(live, before));
    QVERIFY(waitForPlan(*page));
    QTest::qWait(200);
    const auto now = live.model()->tree();
    QVERIFY(now->evaluation == page->document().shownPlan()->evaluationPtr());
    QVERIFY(now->evaluation != pointed->evaluation);
    // Another plan has other steps: the page stays with the op.
    QVERIFY(now->evaluation->schedule->steps[now->step].op == op);
}

/// Right click, then a click on the entry: the pin is among the choices, and the next plan keeps
/// it.
void LivePageTest::pinsWhatARowStandsForByItsMenu()
{
    PlannerPage* page = openPointedAt();
    QVERIFY(page != nullptr);
    LivePage& live = viewOf<LivePage>(*page);
    auto* view = live.findChild<QTreeView*>();
    QModelIndex row;
    for (int top = 0; top < live.model()->rowCount() && !row.isValid(); ++top)
        if (const QModelIndex index = live.model()->index(top, 0);
            !index.data(LiveModel::GlobRole).toString().isEmpty())
            row = index;
    QVERIFY(row.isValid());
    const QString glob = row.data(LiveModel::GlobRole).toString();
    for (const char* missing : {"raise()", "grabbing the keyboard"})
        QTest::ignoreMessage(
            QtWarningMsg,
            qPrintable(
                QStringLiteral("This plugin does not support %1").arg(QLatin1String{missing})));
    const QPoint at = view->visualRect(row).center();
    // As the window system sends it along with the click.
    QTest::mouseClick(view->viewport(), Qt::RightButton, {}, at);
    QContextMenuEvent event{QContextMenuEvent::Mouse, at, view->viewport()->mapToGlobal(at)};
    QCoreApplication::sendEvent(view->viewport(), &event);
    auto* menu = live.findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QVERIFY(QTest::qWaitFor([menu] { return menu->isVisible(); }));
    const QList<QAction*> actions = menu->actions(); // one list: each call gives another one
    const auto wanted = std::find_if(actions.begin(), actions.end(), [](const QAction* action) {
        return QString{action->text()}.remove(u'&').startsWith(QStringLiteral("Always keep"));
    });
    QVERIFY(wanted != actions.end());
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(*wanted).center());
    QCOMPARE(page->document().document().choices.pins,
             (std::vector<std::string>{"keep:" + glob.toStdString()}));
    QVERIFY(viewOf<PinPage>(*page).isVisible());
    const auto& document = page->document();
    QVERIFY(QTest::qWaitFor(
        [&document] {
            return document.isPlanned() && !document.isOutdated() && document.isRefined();
        },
        kPatience));
    const auto& best = document.outcome().best;
    QVERIFY(best && !best->problem().pins.empty());
    QVERIFY(plimsoll::plan::honoursPins(best->problem(), *best->evaluation().schedule));
}

} // namespace

PLIMSOLL_TEST(LivePageTest, QApplication)
#include "live_page_test.moc"
