// SPDX-License-Identifier: Apache-2.0
// The manual as a user meets it: from the menu, by F1, by a search, by links and back.
#include "ui/base/help_context.h"
#include "ui/manual/manual_browser.h"
#include "ui/manual/manual_list.h"
#include "ui/manual/manual_look.h"
#include "ui/manual/manual_window.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDesktopServices>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>

#include <algorithm>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

QString chapter(const char* name)
{
    return kManualFolder.toString() + QString::fromLatin1(name);
}

class ManualTest : public QObject, private WindowFixture
{
    Q_OBJECT

public Q_SLOTS:
    void takeUrl(const QUrl& url) { m_opened = url; }

private Q_SLOTS:
    void init() { openWindow({1024, 640}); }
    void cleanup() { closeWindow(); }
    void opensAtItsFirstPageFromTheMenu();
    void opensAtTheFocusedPanelByF1();
    void everyPanelNamesAPageThatExists();
    void isSearchedWithTheKeyboardAlone();
    void followsLinksAndGoesBack();
    void leavesOtherLinksToTheDesktop();
    void staysAtItsPlaceWhenTheThemeChanges();
    void closesByEscape();

private:
    ManualWindow* manual() { return m_window->findChild<ManualWindow*>(); }
    ManualBrowser* page() { return manual()->findChild<ManualBrowser*>(); }
    QListView* list() { return manual()->findChild<QListView*>(); }
    QString shown() { return manualPath(page()->source()); }
    /// Opened from the menu and active.
    void openManual()
    {
        trigger("help.manual");
        QVERIFY(manual() != nullptr);
        QTRY_COMPARE(QApplication::activeWindow(), manual());
    }
    /// Puts the text cursor on a link with this text; false if there is none.
    bool goToLink(const QString& text)
    {
        for (QTextBlock block = page()->document()->begin(); block.isValid(); block = block.next())
            for (auto it = block.begin(); !it.atEnd(); ++it)
                if (!it.fragment().charFormat().anchorHref().isEmpty()
                    && it.fragment().text() == text) {
                    QTextCursor cursor{page()->document()};
                    cursor.setPosition(it.fragment().position());
                    cursor.setPosition(it.fragment().position() + it.fragment().length(),
                                       QTextCursor::KeepAnchor);
                    page()->setTextCursor(cursor);
                    page()->setFocus();
                    return true;
                }
        return false;
    }

    QUrl m_opened;
};

void ManualTest::opensAtItsFirstPageFromTheMenu()
{
    openManual();
    QCOMPARE(shown(), chapter("index.md"));
    QCOMPARE(list()->currentIndex().data().toString(), QStringLiteral("Plimsoll manual"));
    const QAbstractItemModelTester tester{list()->model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal};
    QVERIFY(list()->model()->rowCount() > 9);
    ManualWindow* first = manual();
    trigger("help.manual");
    QCOMPARE(m_window->findChildren<ManualWindow*>(), QList<ManualWindow*>{first});
}

void ManualTest::opensAtTheFocusedPanelByF1()
{
    QVERIFY(openPlanned() != nullptr);
    const auto f1On = [this](const char* accessibleName) {
        for (QWidget* widget : currentPage()->findChildren<QWidget*>())
            if (widget->accessibleName() == QLatin1String(accessibleName)
                && widget->focusPolicy() != Qt::NoFocus && widget->isVisible()) {
                m_window->activateWindow();
                widget->setFocus();
                QTest::keyClick(widget, Qt::Key_F1);
                return true;
            }
        return false;
    };
    QVERIFY(f1On("Budget"));
    QVERIFY(manual() != nullptr);
    QCOMPARE(shown(), chapter("window.md#budget-panel"));
    QVERIFY(f1On("Planner"));
    QCOMPARE(shown(), chapter("planners.md#auto"));
    QVERIFY(page()->verticalScrollBar()->value() > 0);
    QVERIFY(f1On("Memory over the step"));
    QCOMPARE(shown(), chapter("window.md#timeline"));
}

void ManualTest::everyPanelNamesAPageThatExists()
{
    QVERIFY(openPlanned() != nullptr);
    QStringList targets;
    for (const ManualPage& each : readManual()) {
        targets << each.path;
        for (const ManualSection& section : each.sections)
            targets << each.path + u'#' + section.anchor;
    }
    int named = 0;
    for (QWidget* widget : m_window->findChildren<QWidget*>())
        if (const QString target = manualPage(widget); !target.isEmpty()) {
            ++named;
            QVERIFY2(targets.contains(kManualFolder.toString() + target), qPrintable(target));
        }
    QVERIFY(named > 20);
}

void ManualTest::isSearchedWithTheKeyboardAlone()
{
    openManual();
    QTest::keyClick(manual(), Qt::Key_F, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field != nullptr);
    QTest::keyClicks(field, QStringLiteral("capuchin"));
    QCOMPARE(list()->model()->index(0, 0).data().toString(), QStringLiteral("capuchin (Planners)"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(shown(), chapter("planners.md#capuchin"));
    QVERIFY(!page()->extraSelections().isEmpty());
    QTest::keyClick(field, Qt::Key_Down);
    QCOMPARE(QApplication::focusWidget(), list());
    QTest::keyClick(list(), Qt::Key_Down);
    const QString second = list()->currentIndex().data(ManualList::TargetRole).toString();
    QTest::keyClick(list(), Qt::Key_Return);
    QCOMPARE(shown(), second);
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(field->text().isEmpty() && manual()->isVisible());
    QVERIFY(page()->extraSelections().isEmpty());
    QTest::keyClicks(field, QStringLiteral("xyzzy"));
    QCOMPARE(list()->model()->rowCount(), 0);
}

void ManualTest::followsLinksAndGoesBack()
{
    openManual();
    QVERIFY(goToLink(QStringLiteral("Planners")));
    QTest::keyClick(page(), Qt::Key_Return);
    QTRY_COMPARE(shown(), chapter("planners.md"));
    QVERIFY(goToLink(QStringLiteral("remat")));
    QTest::keyClick(page(), Qt::Key_Return);
    QTRY_COMPARE(shown(), chapter("planners.md#remat"));
    QCOMPARE(list()->currentIndex().data().toString(), QStringLiteral("remat"));
    const int place = page()->verticalScrollBar()->value();
    QVERIFY(place > 0);
    QTest::keyClick(manual(), Qt::Key_Left, Qt::AltModifier);
    QTest::keyClick(manual(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(shown(), chapter("index.md"));
    QTest::keyClick(manual(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(shown(), chapter("planners.md"));
    QTest::keyClick(manual(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(page()->verticalScrollBar()->value(), place);
    QVERIFY(isManualStyled(*page()->document()));
    manual()->showPage(QStringLiteral("formats.md"));
    QVERIFY(goToLink(QStringLiteral("session")));
    QTest::keyClick(page(), Qt::Key_Return);
    QTRY_COMPARE(shown(), QStringLiteral("core/session/FORMAT.md"));
}

void ManualTest::leavesOtherLinksToTheDesktop()
{
    openManual();
    QDesktopServices::setUrlHandler(QStringLiteral("https"), this, "takeUrl");
    const QUrl web{QStringLiteral("https://example.org/page")};
    Q_EMIT page()->anchorClicked(web);
    QTRY_COMPARE(m_opened, web);
    QDesktopServices::unsetUrlHandler(QStringLiteral("https"));
    QCOMPARE(shown(), chapter("index.md"));
}

void ManualTest::staysAtItsPlaceWhenTheThemeChanges()
{
    openManual();
    manual()->showPage(QStringLiteral("planners.md#pins"));
    const int place = page()->verticalScrollBar()->value();
    m_theme->setChoice(m_theme->isDark() ? ThemeChoice::Light : ThemeChoice::Dark);
    QCOMPARE(page()->verticalScrollBar()->value(), place);
    QCOMPARE(page()->document()->begin().begin().fragment().charFormat().foreground().color(),
             m_theme->color(Role::Text));
}

void ManualTest::closesByEscape()
{
    openManual();
    QTest::keyClick(page(), Qt::Key_Escape);
    QVERIFY(!manual()->isVisible());
}

} // namespace

PLIMSOLL_TEST(ManualTest, QApplication)
#include "manual_test.moc"
