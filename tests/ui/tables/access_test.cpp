// SPDX-License-Identifier: Apache-2.0
// The window without a mouse and without eyes: names, descriptions, panels by key, tab order.
#include "ui/budget_timeline/budget_handle.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/frontier/frontier_view.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/shell/find_field.h"
#include "ui/shell/view_bar.h"
#include "ui/start_page/start_page.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QTabBar>
#include <QTest>

#include <array>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class AccessTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void namesWhatTakesTheFocus_data();
    void namesWhatTakesTheFocus();
    void announcesTheBudgetLineAsASlider();
    void describesThePlots();
    void goesFromPanelToPanel();
    void tabsThroughInTheOrderOfTheWindow();
    void showsTheRingForKeysOnly();
    void takesEscapeWhereverTheFocusIs();
};

QString said(QWidget& widget, QAccessible::Text what)
{
    const QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(&widget);
    return spoken == nullptr ? QString{} : spoken->text(what);
}

QString describe(const QWidget& widget)
{
    QStringList path;
    for (const QWidget* at = &widget; at != nullptr; at = at->parentWidget())
        path.prepend(QString::fromLatin1(at->metaObject()->className()));
    return path.join(u'/');
}

void AccessTest::namesWhatTakesTheFocus_data()
{
    QTest::addColumn<bool>("withDocument");
    QTest::addColumn<QSize>("size");
    QTest::newRow("start page") << false << QSize{1440, 900};
    QTest::newRow("planner") << true << QSize{1440, 900};
    QTest::newRow("planner, narrow") << true << QSize{1024, 640};
}

void AccessTest::namesWhatTakesTheFocus()
{
    QFETCH(bool, withDocument);
    QFETCH(QSize, size);
    if (withDocument)
        QVERIFY(openPlanned() != nullptr);
    m_window->resize(size);
    QTest::qWait(50);
    QStringList unnamed;
    QStringList undescribed;
    int walked = 0;
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus)
            continue;
        ++walked;
        if (said(*widget, QAccessible::Name).isEmpty())
            unnamed << describe(*widget);
        const bool isControl = qobject_cast<QLineEdit*>(widget) != nullptr
                               || qobject_cast<QComboBox*>(widget) != nullptr
                               || qobject_cast<QAbstractItemView*>(widget) != nullptr
                               || qobject_cast<BudgetTimelineView*>(widget) != nullptr
                               || qobject_cast<FrontierView*>(widget) != nullptr;
        if (isControl && said(*widget, QAccessible::Description).isEmpty())
            undescribed << describe(*widget);
    }
    QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(u'\n')));
    QVERIFY2(undescribed.isEmpty(), qPrintable(undescribed.join(u'\n')));
    QVERIFY(walked > 5);
}

void AccessTest::announcesTheBudgetLineAsASlider()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* handle = viewOf<BudgetTimelineView>(*page).findChild<BudgetHandle*>();
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(handle);
    QVERIFY(spoken != nullptr);
    QCOMPARE(spoken->role(), QAccessible::Slider);
    QCOMPARE(spoken->text(QAccessible::Name), QStringLiteral("Budget line"));
    QAccessibleValueInterface* value = spoken->valueInterface();
    QVERIFY(value != nullptr);
    QCOMPARE(value->currentValue().toLongLong(), page->document().budget().count());
    QVERIFY(value->minimumValue().toLongLong() > 0);
    QCOMPARE(value->maximumValue().toLongLong(),
             viewOf<BudgetTimelineView>(*page).axisTop().count());
    value->setCurrentValue(qlonglong{2300} << 20);
    QCOMPARE(page->document().budget().count(), std::int64_t{2300} << 20);
    QCOMPARE(value->currentValue().toLongLong(), qlonglong{2300} << 20);
}

void AccessTest::describesThePlots()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const QString timeline = said(viewOf<BudgetTimelineView>(*page), QAccessible::Description);
    QVERIFY2(timeline.startsWith(QStringLiteral("Peak ")), qPrintable(timeline));
    QVERIFY2(timeline.contains(QStringLiteral(" Budget ")), qPrintable(timeline));
    const QString frontier = said(viewOf<FrontierView>(*page), QAccessible::Description);
    QVERIFY2(frontier.contains(QStringLiteral(" plans, from peak ")), qPrintable(frontier));
    QVERIFY2(frontier.contains(QStringLiteral(" Shown: peak ")), qPrintable(frontier));
}

void AccessTest::goesFromPanelToPanel()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const auto isIn = [](const QWidget* panel) {
        const QWidget* focused = QApplication::focusWidget();
        return focused != nullptr && (focused == panel || panel->isAncestorOf(focused));
    };
    const auto* tabs = m_window->findChild<QTabBar*>();
    const auto* bar = m_window->findChild<ViewBar*>();
    const QList<const QWidget*> round{&viewOf<BudgetTimelineView>(*page),
                                      &viewOf<BudgetPanel>(*page),
                                      &viewOf<FrontierView>(*page),
                                      &viewOf<PlanPage>(*page),
                                      tabs,
                                      bar,
                                      &viewOf<BudgetTimelineView>(*page)};
    viewOf<BudgetTimelineView>(*page).setFocus();
    for (qsizetype i = 1; i < round.size(); ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY2(isIn(round[i]), qPrintable(describe(*QApplication::focusWidget())));
    }
    for (qsizetype i = round.size() - 2; i >= 0; --i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY2(isIn(round[i]), qPrintable(describe(*QApplication::focusWidget())));
    }
    // A hidden dock is passed over.
    trigger("view.focus");
    viewOf<BudgetTimelineView>(*page).setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
    QVERIFY(isIn(tabs));
}

void AccessTest::tabsThroughInTheOrderOfTheWindow()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto& field = *m_window->findChild<FindField*>();
    field.setFocus(Qt::ShortcutFocusReason);
    const auto tabTo = [](const QWidget* target) {
        for (int i = 0; i < 40; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            const QWidget* focused = QApplication::focusWidget();
            if (focused == target || target->isAncestorOf(focused))
                return i + 1;
        }
        return 0;
    };
    // Find, Export, centre with its line, then the docks: each reached from the one before it.
    QCOMPARE(tabTo(&viewOf<BudgetTimelineView>(*page)), 2);
    QCOMPARE(QApplication::focusWidget(), &viewOf<BudgetTimelineView>(*page));
    QTest::keyClick(&viewOf<BudgetTimelineView>(*page), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(),
             viewOf<BudgetTimelineView>(*page).findChild<BudgetHandle*>());
    const int toPanel = tabTo(&viewOf<BudgetPanel>(*page));
    QVERIFY2(toPanel >= 1 && toPanel <= 3, qPrintable(QString::number(toPanel)));
    QVERIFY(tabTo(&viewOf<FrontierView>(*page)) > 0);
    QVERIFY(tabTo(&viewOf<PlanPage>(*page)) > 0);
}

void AccessTest::showsTheRingForKeysOnly()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const QColor accent = m_theme->color(Role::Accent);
    const auto hasRing = [&accent](QWidget& plot) {
        const QImage picture = plot.grab().toImage();
        int marked = 0;
        for (int x = 0; x < picture.width(); ++x)
            for (int y = picture.height() / 3; y < picture.height() / 3 + 3; ++y)
                marked += picture.pixelColor(x, y) == accent ? 1 : 0;
        return marked >= 6; // both upright edges
    };
    QVERIFY(viewOf<BudgetTimelineView>(*page).hasFocus()); // opening gave it
    QVERIFY(!hasRing(viewOf<BudgetTimelineView>(*page)));
    QTest::mouseClick(&viewOf<FrontierView>(*page), Qt::LeftButton);
    QVERIFY(viewOf<FrontierView>(*page).hasFocus());
    QVERIFY(!hasRing(viewOf<FrontierView>(*page)));
    viewOf<BudgetTimelineView>(*page).setFocus(Qt::TabFocusReason);
    QVERIFY(hasRing(viewOf<BudgetTimelineView>(*page)));
    viewOf<FrontierView>(*page).setFocus(Qt::TabFocusReason);
    QVERIFY(hasRing(viewOf<FrontierView>(*page)));
    QVERIFY(!hasRing(viewOf<BudgetTimelineView>(*page)));
}

void AccessTest::takesEscapeWhereverTheFocusIs()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    BudgetTimelineView& view = viewOf<BudgetTimelineView>(*page);
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    const std::array<QWidget*, 4> places{viewOf<BudgetPanel>(*page).findChild<QComboBox*>(),
                                         m_window->findChild<FrontierView*>(),
                                         viewOf<BudgetPanel>(*page).findChild<QLineEdit*>(), &view};
    for (QWidget* place : places) {
        view.setPinnedSteps({2});
        place->setFocus();
        QCOMPARE(QApplication::focusWidget(), place);
        QTest::keyClick(place, Qt::Key_Escape);
        QVERIFY(view.pinnedSteps().empty());
        QTest::keyClick(place, Qt::Key_Escape); // nothing is left to go back from
        QCOMPARE(QApplication::focusWidget(), place);
    }
}

} // namespace

PLIMSOLL_TEST(AccessTest, QApplication)
#include "access_test.moc"
