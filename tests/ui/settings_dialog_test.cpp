// SPDX-License-Identifier: Apache-2.0
// The settings as a user meets them: by key, acting at once, found by words, put back.
#include "ui/shell/settings_dialog.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;

class SettingsDialogTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { closeWindow(); }
    void opensOnce();
    void actsAtOnce();
    void followsTheKeys();
    void restoresAPage();
    void findsByWords();
    void namesItsControls();
    void forgetsRecentFiles();

private:
    template <typename T>
    [[nodiscard]] T& control(const char* name) const
    {
        T* found = nullptr;
        for (T* widget : m_dialog->findChildren<T*>())
            if (widget->accessibleName() == QString::fromLatin1(name))
                found = widget;
        Q_ASSERT(found != nullptr);
        return *found;
    }
    void choosePage(int row) { m_dialog->findChild<QListWidget*>()->setCurrentRow(row); }
    [[nodiscard]] QPushButton& button(const char* text) const
    {
        QPushButton* found = nullptr;
        for (QPushButton* push : m_dialog->findChildren<QPushButton*>())
            if (push->text() == QString::fromLatin1(text))
                found = push;
        Q_ASSERT(found != nullptr);
        return *found;
    }

    SettingsDialog* m_dialog = nullptr;
    QPointer<SettingsDialog> m_guard; ///< null once it is closed
};

void SettingsDialogTest::init()
{
    openWindow();
    QTest::keyClick(m_window.get(), Qt::Key_Comma, Qt::ControlModifier);
    m_dialog = m_window->findChild<SettingsDialog*>();
    m_guard = m_dialog;
    QVERIFY(m_dialog != nullptr);
    QVERIFY(QTest::qWaitForWindowActive(m_dialog));
}

void SettingsDialogTest::opensOnce()
{
    QCOMPARE(m_dialog->size(), QSize(m_theme->px(640), m_theme->px(480)));
    trigger("edit.settings");
    QCOMPARE(m_window->findChildren<SettingsDialog*>().size(), 1);
    QTest::keyClick(m_dialog, Qt::Key_Escape);
    QVERIFY(QTest::qWaitFor([this] { return m_guard.isNull(); }));
    trigger("edit.settings");
    QCOMPARE(m_window->findChildren<SettingsDialog*>().size(), 1);
}

void SettingsDialogTest::actsAtOnce()
{
    choosePage(1);
    auto& theme = control<QComboBox>("Theme");
    theme.setFocus();
    QTest::keyClicks(&theme, QStringLiteral("D")); // Dark
    QVERIFY(m_settings->theme() == ThemeChoice::Dark);
    QVERIFY(m_theme->isDark());
    QTest::keyClicks(&control<QComboBox>("Patterns"), QStringLiteral("S"));
    QVERIFY(m_theme->patterns() == PatternStrength::Strong);
    QVERIFY(m_window->findChild<QAction*>(QStringLiteral("patterns.strong"))->isChecked());
    auto& scale = control<QSpinBox>("Scale");
    scale.setFocus();
    scale.selectAll();
    QTest::keyClicks(&scale, QStringLiteral("15"));
    QCOMPARE(m_settings->scalePercent(), 100); // not meant yet
    QTest::keyClicks(&scale, QStringLiteral("0"));
    QTest::keyClick(&scale, Qt::Key_Return);
    QCOMPARE(m_settings->scalePercent(), 150);
    QCOMPARE(m_theme->scalePercent(), 150);
    QVERIFY(!m_guard.isNull()); // Return is no "OK"
}

void SettingsDialogTest::followsTheKeys()
{
    trigger("view.larger");
    QCOMPARE(control<QSpinBox>("Scale").value(), 110);
    trigger("theme.dark");
    QCOMPARE(control<QComboBox>("Theme").currentText(), QStringLiteral("Dark"));
}

void SettingsDialogTest::restoresAPage()
{
    m_settings->setTheme(ThemeChoice::Dark);
    m_settings->setScalePercent(130);
    m_settings->setPatterns(PatternStrength::Off);
    m_settings->addRecentFile(QStringLiteral("/some/file.json"));
    QVERIFY(!button("Restore defaults").isEnabled()); // the first page has none
    choosePage(1);
    QTest::mouseClick(&button("Restore defaults"), Qt::LeftButton);
    QVERIFY(m_settings->theme() == ThemeChoice::System);
    QCOMPARE(m_settings->scalePercent(), 100);
    QVERIFY(m_settings->patterns() == PatternStrength::Normal);
    QCOMPARE(m_settings->recentFiles().size(), 1); // of the other page
}

void SettingsDialogTest::findsByWords()
{
    auto& search = *m_dialog->findChild<QLineEdit*>(QString{}, Qt::FindDirectChildrenOnly);
    search.setFocus();
    QTest::keyClicks(&search, QStringLiteral("colour lines"));
    auto* list = m_dialog->findChild<QListWidget*>();
    QVERIFY(list->item(0)->isHidden());
    QCOMPARE(list->currentRow(), 1);
    QVERIFY(control<QComboBox>("Patterns").isVisible());
    QVERIFY(!control<QComboBox>("Theme").isVisible());
    QTest::keyClick(&search, Qt::Key_Escape); // the words first, then the dialog
    QCOMPARE(search.text(), QString{});
    QVERIFY(control<QComboBox>("Theme").isVisible());
    QVERIFY(!list->item(0)->isHidden());
}

void SettingsDialogTest::namesItsControls()
{
    for (int page = 0; page < 2; ++page) {
        choosePage(page);
        for (QWidget* widget : m_dialog->findChildren<QWidget*>())
            if (widget->isVisible() && widget->focusPolicy() != Qt::NoFocus)
                QVERIFY2(!QAccessible::queryAccessibleInterface(widget)
                              ->text(QAccessible::Name)
                              .isEmpty(),
                         widget->metaObject()->className());
    }
}

void SettingsDialogTest::forgetsRecentFiles()
{
    QVERIFY(!button("No recent files").isEnabled());
    m_settings->addRecentFile(QStringLiteral("/some/file.json"));
    QVERIFY(button("Forget 1 file").isEnabled());
    m_settings->addRecentFile(QStringLiteral("/some/other.json"));
    QVERIFY(button("Forget 2 files").isEnabled());
    QTest::mouseClick(&control<QPushButton>("Recent files"), Qt::LeftButton);
    QVERIFY(m_settings->recentFiles().isEmpty());
    QVERIFY(!button("No recent files").isEnabled());
}

} // namespace

PLIMSOLL_TEST(SettingsDialogTest, QApplication)
#include "settings_dialog_test.moc"
