// SPDX-License-Identifier: Apache-2.0
// The window without a mouse: mnemonics, cards, and pages for which there is no room as tabs.
#include "ui/start_page/file_buttons.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemView>
#include <QAction>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

namespace {

using namespace plimsoll;
using namespace plimsoll::tests;
using namespace plimsoll::ui;

class KeyboardTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1024, 640}); }
    void cleanup() { closeWindow(); }
    void everyMenuEntryHasAMnemonic();
    void everyContextMenuEntryHasAMnemonic_data();
    void everyContextMenuEntryHasAMnemonic();
    void enterOpensAFocusedCard();
    void tabsWithoutRoomAreInAMenu();
};

int checkMenu(QMenu& menu);

/// The number of entries.
int checkActions(const QList<QAction*>& actions)
{
    QSet<QString> letters;
    int entries = 0;
    for (QAction* action : actions) {
        if (action->isSeparator())
            continue;
        ++entries;
        const QKeySequence mnemonic = QKeySequence::mnemonic(action->text());
        // There are 36 letters and digits; no menu has so many entries.
        if (mnemonic.isEmpty())
            QTest::qFail(qPrintable(QStringLiteral("no mnemonic: ") + action->text()), __FILE__,
                         __LINE__);
        else if (letters.contains(mnemonic.toString()))
            QTest::qFail(qPrintable(QStringLiteral("twice in a menu: ") + action->text()), __FILE__,
                         __LINE__);
        letters << mnemonic.toString();
        if (action->menu() != nullptr)
            entries += checkMenu(*action->menu());
    }
    return entries;
}

/// Checks a menu as it is when it's open; the number of entries.
int checkMenu(QMenu& menu)
{
    Q_EMIT menu.aboutToShow();
    return checkActions(menu.actions());
}

void KeyboardTest::everyMenuEntryHasAMnemonic()
{
    QVERIFY(openPlanned() != nullptr);
    int entries = 0;
    QSet<QString> titles;
    for (const QAction* action : m_window->menuBar()->actions()) {
        titles << QKeySequence::mnemonic(action->text()).toString();
        entries += checkMenu(*action->menu());
    }
    QVERIFY(!titles.contains(QString{}));
    QCOMPARE(titles.size(), m_window->menuBar()->actions().size());
    QVERIFY2(entries > 80, qPrintable(QString::number(entries)));
}

void KeyboardTest::everyContextMenuEntryHasAMnemonic_data()
{
    QTest::addColumn<QString>("tab");
    QTest::addColumn<QString>("view"); // by what screen readers call it
    QTest::addColumn<int>("entries");
    QTest::newRow("plan") << QStringLiteral("Plan") << QStringLiteral("Plan") << 12;
    QTest::newRow("modules") << QStringLiteral("Modules") << QStringLiteral("Modules") << 2;
    QTest::newRow("live") << QStringLiteral("Live") << QStringLiteral("Live at cursor") << 1;
    QTest::newRow("accesses") << QStringLiteral("Accesses") << QStringLiteral("Accesses") << 2;
    QTest::newRow("problems") << QStringLiteral("Problems") << QStringLiteral("Problems") << 1;
    QTest::newRow("runs") << QStringLiteral("Runs") << QStringLiteral("Runs") << 2;
    QTest::newRow("GPUs") << QStringLiteral("What fits") << QStringLiteral("GPUs") << 1;
    QTest::newRow("sizes") << QStringLiteral("What fits") << QStringLiteral("Largest sizes") << 1;
}

/// Of a view's first row that has a menu.
void KeyboardTest::everyContextMenuEntryHasAMnemonic()
{
    QFETCH(QString, tab);
    QFETCH(QString, view);
    QFETCH(int, entries);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    chooseTab(*page, tab);
    QAbstractItemView* found = nullptr;
    for (auto* each : page->findChildren<QAbstractItemView*>())
        if (each->accessibleName() == view)
            found = each;
    QVERIFY(found != nullptr);
    if (found->contextMenuPolicy() == Qt::ActionsContextMenu) {
        QVERIFY(checkActions(found->actions()) >= entries);
        return;
    }
    if (found->model()->rowCount() == 0) // in the dark until the cursor points somewhere
        page->selection().setStep(100);
    QTRY_VERIFY(found->model()->rowCount() > 0);
    for (int row = 0; row < found->model()->rowCount(); ++row) {
        const QPoint at = found->visualRect(found->model()->index(row, 0)).center();
        QContextMenuEvent event{QContextMenuEvent::Keyboard, at,
                                found->viewport()->mapToGlobal(at)};
        QCoreApplication::sendEvent(found->viewport(), &event);
        for (auto* menu : page->findChildren<QMenu*>())
            if (menu->isVisible()) {
                QVERIFY(checkMenu(*menu) >= entries);
                menu->close();
                return;
            }
    }
    QFAIL("no row has a menu");
}

void KeyboardTest::enterOpensAFocusedCard()
{
    FileButton* card = nullptr;
    for (FileButton* button : m_window->findChildren<FileButton*>())
        if (button->path().contains(QStringLiteral("resnet18")))
            card = button;
    QVERIFY(card != nullptr);
    card->setFocus(Qt::TabFocusReason);
    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    QTest::keyClick(card, Qt::Key_Return);
    QVERIFY(opened.wait(kPatience));
    QCOMPARE(currentPage()->document().document().name(), std::string{"resnet18"});
}

void KeyboardTest::tabsWithoutRoomAreInAMenu()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    PagesDock& dock = planDock(*page);
    auto* tabs = dock.findChild<QTabBar*>();
    const auto* others = tabs->parentWidget()->findChild<QToolButton*>();
    QVERIFY(others->isVisible() && others->menu() != nullptr);
    const auto shown = [tabs] {
        QStringList names;
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->isTabVisible(i))
                names << tabs->tabText(i);
        return names;
    };
    const auto listed = [others] {
        Q_EMIT others->menu()->aboutToShow();
        QStringList names;
        for (const QAction* action : others->menu()->actions())
            names << action->text().remove(u'&');
        return names;
    };
    // Each page is in one of the two, and no tab is cut.
    QCOMPARE(shown().size() + listed().size(), tabs->count());
    QVERIFY(!listed().isEmpty());
    QVERIFY(tabs->geometry().right() <= others->geometry().left());
    QVERIFY(tabs->width() >= tabs->tabRect(int(shown().size()) - 1).right());
    for (const QToolButton* arrow : tabs->findChildren<QToolButton*>())
        QVERIFY(!arrow->isVisible());
    const QString last = listed().back();
    others->menu()->actions().back()->trigger();
    QCOMPARE(tabs->tabText(tabs->currentIndex()), last);
    QVERIFY(shown().contains(last) && !listed().contains(last));
    QCOMPARE(shown().size() + listed().size(), tabs->count());
    m_window->resize(1920, 1000);
    QVERIFY(QTest::qWaitFor([&] { return !others->isVisible(); }));
    QCOMPARE(shown().size(), tabs->count());
}

} // namespace

PLIMSOLL_TEST(KeyboardTest, QApplication)
#include "keyboard_test.moc"
