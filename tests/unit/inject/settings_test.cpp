// SPDX-License-Identifier: Apache-2.0
#include "app/inject/settings.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace plimsoll;
using inject::Settings;

namespace {

class SettingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { init(); }
    void hasDefaults();
    void readsNumbersAndIgnoresOtherText_data();
    void readsNumbersAndIgnoresOtherText();
    void namesTheFileOfEachProcess_data();
    void namesTheFileOfEachProcess();
};

void SettingsTest::init()
{
    for (const char* variable :
         {"PLIMSOLL_CAPTURE_FILE", "PLIMSOLL_CAPTURE_PID", "PLIMSOLL_CAPTURE_RUN",
          "PLIMSOLL_CAPTURE_PERIOD", "PLIMSOLL_CAPTURE_BUFFERS", "PLIMSOLL_CUPTI"})
        qunsetenv(variable);
}

void SettingsTest::hasDefaults()
{
    const Settings settings = inject::readSettings();
    QCOMPARE(settings.file, std::string{"plimsoll.plmcap"});
    QCOMPARE(settings.mainPid, 0);
    QCOMPARE(settings.period.count(), 500);
    QCOMPARE(inject::fileName(settings, 12, 0), std::string{"plimsoll.12.plmcap"});
}

void SettingsTest::readsNumbersAndIgnoresOtherText_data()
{
    QTest::addColumn<QByteArray>("period");
    QTest::addColumn<int>("milliseconds");
    QTest::newRow("a number") << QByteArray{"250"} << 250;
    QTest::newRow("too small") << QByteArray{"1"} << 10;
    QTest::newRow("too large") << QByteArray{"99999999999"} << 60'000;
    QTest::newRow("a word") << QByteArray{"soon"} << 500;
    QTest::newRow("a number and a word") << QByteArray{"20 ms"} << 500;
    QTest::newRow("nothing") << QByteArray{""} << 500;
}

void SettingsTest::readsNumbersAndIgnoresOtherText()
{
    QFETCH(QByteArray, period);
    QFETCH(int, milliseconds);
    qputenv("PLIMSOLL_CAPTURE_PERIOD", period);
    qputenv("PLIMSOLL_CAPTURE_RUN", "00000000deadbeef");
    const Settings settings = inject::readSettings();
    QCOMPARE(settings.period.count(), milliseconds);
    QCOMPARE(settings.run, std::uint64_t{0xDEADBEEF});
}

void SettingsTest::namesTheFileOfEachProcess_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<int>("pid");
    QTest::addColumn<int>("attempt");
    QTest::addColumn<std::string>("name");
    const auto row = [](const char* what, const char* file, int pid, int attempt,
                        const char* name) {
        QTest::newRow(what) << std::string{file} << pid << attempt << std::string{name};
    };
    row("the main process", "/a/x.plmcap", 7, 0, "/a/x.plmcap");
    row("a second program in it", "/a/x.plmcap", 7, 1, "/a/x.7-2.plmcap");
    row("a child", "/a/x.plmcap", 8, 0, "/a/x.8.plmcap");
    row("a file without ending", "/a.b/x", 8, 0, "/a.b/x.8");
    row("a hidden file", "/a/.x", 8, 0, "/a/.x.8");
    row("two endings", "x.y.plmcap", 8, 2, "x.y.8-3.plmcap");
}

void SettingsTest::namesTheFileOfEachProcess()
{
    QFETCH(std::string, file);
    QFETCH(int, pid);
    QFETCH(int, attempt);
    QFETCH(std::string, name);
    Settings settings;
    settings.file = file;
    settings.mainPid = 7;
    QCOMPARE(inject::fileName(settings, pid, attempt), name);
}

} // namespace

PLIMSOLL_TEST(SettingsTest, tests::NoApplication)
#include "settings_test.moc"
