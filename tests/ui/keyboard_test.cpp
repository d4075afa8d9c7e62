// SPDX-License-Identifier: Apache-2.0
// The window without a mouse: mnemonics, cards, and pages for which there is no room as tabs.
#include "ui/start_page/file_buttons.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
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
    void enterOpensAFocusedCard();
    void tabsWithoutRoomAreInAMenu();
};

/// Checks a menu as it is when it's open; the number of entries.
int checkMenu(QMenu& menu)
{
    Q_EMIT menu.aboutToShow();
    QSet<QString> letters;
    int entries = 0;
    for (QAction* action : menu.actions()) {
        if (action->isSeparator())
            continue;
        ++entries;
        const QKeySequence mnemonic = QKeySequence::mnemonic(action->text());
        // There are 36 letters and digits; no menu has so many entries.
        if (mnemonic.isEmpty())
            qWarning("no mnemonic: %s", qPrintable(action->text()));
        else if (letters.contains(mnemonic.toString()))
            qWarning("twice in a menu: %s", qPrintable(action->text()));
        letters << mnemonic.toString();
        if (action->menu() != nullptr)
            entries += checkMenu(*action->menu());
    }
    return entries;
}

void KeyboardTest::everyMenuEntryHasAMnemonic()
{
    QVERIFY(openPlanned() != nullptr); // warnings fail the test
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
            names << action->text();
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
