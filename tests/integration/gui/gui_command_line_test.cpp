// SPDX-License-Identifier: Apache-2.0
// The window's program where there is no display: what it can answer without one, it answers.
#include "tests/integration/program_run.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::tests::ProgramRun;

ProgramRun runWithoutDisplay(const QStringList& arguments)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    return plimsoll::tests::runProgram(QStringLiteral(PLIMSOLL_GUI), arguments, environment);
}

class GuiCommandLineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answersWithoutADisplay_data();
    void answersWithoutADisplay();
    void refusesInOneSentence_data();
    void refusesInOneSentence();
    void leavesToolkitOptionsToTheToolkit();
};

void GuiCommandLineTest::answersWithoutADisplay_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("begins");
    QTest::newRow("version") << QStringList{QStringLiteral("--version")}
                             << QByteArray{"plimsoll 0."};
    QTest::newRow("-v") << QStringList{QStringLiteral("-v")} << QByteArray{"plimsoll 0."};
    QTest::newRow("help") << QStringList{QStringLiteral("--help")} << QByteArray{"Usage: "};
    QTest::newRow("-h") << QStringList{QStringLiteral("-h")} << QByteArray{"Usage: "};
    QTest::newRow("help among others")
        << QStringList{QStringLiteral("--budget"), QStringLiteral("80%"), QStringLiteral("--help")}
        << QByteArray{"Usage: "};
}

void GuiCommandLineTest::answersWithoutADisplay()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, begins);
    const ProgramRun ended = runWithoutDisplay(arguments);
    QCOMPARE(ended.exit, 0);
    QVERIFY2(ended.out.startsWith(begins), ended.out.constData());
    QCOMPARE(ended.error, QByteArray{});
}

void GuiCommandLineTest::refusesInOneSentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("sentence");
    const auto row = [](const char* option, const char* value, const char* sentence) {
        QTest::newRow(option + QByteArray{" "} + value)
            << QStringList{QString::fromLatin1(option), QString::fromLatin1(value)}
            << QByteArray{sentence};
    };
    row("--budget", "80 percent", "plimsoll: \"80 percent\" is not a size:");
    row("--budget", "x%", "plimsoll: \"x%\" is not a percentage:");
    row("--budget", "0%", "plimsoll: The budget must be larger than 0.");
    row("--theme", "pink", "plimsoll: --theme takes light or dark, not \"pink\".");
    row("--size", "99999x900", "plimsoll: --size takes a width and a height such as 1440x900,");
    row("--size", "320x240",
        "plimsoll: --size takes a width and a height such as 1440x900, from "
        "1024x640 to 9999x9999.");
    row("--size", "1440x99999", "plimsoll: --size takes a width and a height such as 1440x900,");
    row("--colour", "pink", "plimsoll: Unknown option 'colour'.");
}

void GuiCommandLineTest::refusesInOneSentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, sentence);
    const ProgramRun ended = runWithoutDisplay(arguments);
    QCOMPARE(ended.exit, 2);
    QVERIFY2(ended.error.startsWith(sentence), ended.error.constData());
    QVERIFY2(ended.hasOneSentence(), ended.error.constData());
}

void GuiCommandLineTest::leavesToolkitOptionsToTheToolkit()
{
    const ProgramRun ended = runWithoutDisplay(
        {QStringLiteral("-platform"), QStringLiteral("offscreen"), QStringLiteral("-style"),
         QStringLiteral("Fusion"), QStringLiteral("--budget"), QStringLiteral("80%"),
         QStringLiteral("--version")});
    QCOMPARE(ended.exit, 0);
    QVERIFY(ended.out.startsWith("plimsoll 0."));
}

} // namespace

PLIMSOLL_TEST(GuiCommandLineTest, QCoreApplication)
#include "gui_command_line_test.moc"
