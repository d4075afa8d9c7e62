// SPDX-License-Identifier: Apache-2.0
#include "ui/base/settings.h"

#include "ui/base/message_strip.h"
#include "ui/base/selection.h"

#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace {

using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class SettingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsWhatWasChosen();
    void signalsOnlyChanges();
    void keepsRecentFilesNewestFirst();
    void drivesTheTheme();
    void selectionSignalsOnlyChanges();
    void stripShowsTheNewestMessageAndRunsItsAction();
};

void SettingsTest::keepsWhatWasChosen()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("settings.ini"));
    {
        Settings settings{file};
        QCOMPARE(settings.theme(), ThemeChoice::System);
        QCOMPARE(settings.scalePercent(), 100);
        QCOMPARE(settings.patterns(), PatternStrength::Normal);
        settings.setTheme(ThemeChoice::Dark);
        settings.setScalePercent(1000);
        settings.setPatterns(PatternStrength::Strong);
        settings.setLastFolder(QStringLiteral("/models"));
    }
    const Settings settings{file};
    QCOMPARE(settings.theme(), ThemeChoice::Dark);
    QCOMPARE(settings.scalePercent(), 300);
    QCOMPARE(settings.patterns(), PatternStrength::Strong);
    QCOMPARE(settings.lastFolder(), QStringLiteral("/models"));
}

void SettingsTest::signalsOnlyChanges()
{
    const QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    const QSignalSpy changed{&settings, &Settings::themeChanged};
    settings.setTheme(ThemeChoice::Dark);
    settings.setTheme(ThemeChoice::Dark);
    QCOMPARE(changed.size(), 1);
}

void SettingsTest::keepsRecentFilesNewestFirst()
{
    const QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    for (int i = 0; i < 20; ++i)
        settings.addRecentFile(QString::number(i));
    settings.addRecentFile(QStringLiteral("15"));
    QCOMPARE(settings.recentFiles().size(), 12);
    QCOMPARE(settings.recentFiles().mid(0, 3),
             (QStringList{QStringLiteral("15"), QStringLiteral("19"), QStringLiteral("18")}));
    settings.removeRecentFile(QStringLiteral("19"));
    QVERIFY(!settings.recentFiles().contains(QStringLiteral("19")));
}

void SettingsTest::drivesTheTheme()
{
    const QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    Theme theme;
    settings.setTheme(ThemeChoice::Dark);
    settings.drive(theme);
    QVERIFY(theme.isDark());
    settings.setTheme(ThemeChoice::Light);
    QVERIFY(!theme.isDark());
}

void SettingsTest::selectionSignalsOnlyChanges()
{
    Selection selection;
    const QSignalSpy range{&selection, &Selection::rangeChanged};
    selection.setRange(StepRange{1, 4});
    selection.setRange(StepRange{1, 4});
    QCOMPARE(range.size(), 1);
    selection.clear();
    QCOMPARE(range.size(), 2);
}

void SettingsTest::stripShowsTheNewestMessageAndRunsItsAction()
{
    const Theme theme;
    QWidget page;
    MessageStrip strip{&page};
    QVERIFY(strip.isHidden());
    int ran = 0;
    strip.post({QStringLiteral("a"),
                MessageKind::Danger,
                QStringLiteral("No plan fits 2.00 GiB."),
                QStringLiteral("At least 2.41 GiB must be live at once."),
                {{QStringLiteral("Set budget to 2.52 GiB"), [&] { ++ran; }}}});
    strip.post({QStringLiteral("b"), MessageKind::Warn, QStringLiteral("Second."), {}, {}});
    QCOMPARE(strip.count(), std::size_t{2});
    QCOMPARE(strip.shown().id, QStringLiteral("b"));
    strip.withdraw(QStringLiteral("b"));
    QCOMPARE(strip.shown().id, QStringLiteral("a"));
    page.show();
    QCoreApplication::processEvents();
    QPushButton* primary = nullptr;
    for (QPushButton* button : strip.findChildren<QPushButton*>())
        if (!button->isHidden() && button->property("primary").toBool())
            primary = button;
    QVERIFY(primary != nullptr);
    primary->click();
    QCOMPARE(ran, 1);
    strip.withdraw(QStringLiteral("a"));
    QCOMPARE(strip.count(), std::size_t{0});
    QVERIFY(strip.isHidden());
}

} // namespace

PLIMSOLL_TEST(SettingsTest, QApplication)
#include "settings_test.moc"
