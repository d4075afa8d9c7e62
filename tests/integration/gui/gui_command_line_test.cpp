// SPDX-License-Identifier: Apache-2.0
// The window's program where there is no display: what it can answer without one, it answers.
#include <QProcess>
#include <QTest>

namespace {

constexpr int kPatience = 60'000;

struct Ended
{
    int exit = -1;
    QByteArray out;
    QByteArray error;
};

Ended runWithoutDisplay(const QStringList& arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(PLIMSOLL_GUI), arguments);
    Ended ended;
    if (!process.waitForFinished(kPatience)) {
        process.kill();
        process.waitForFinished();
        return ended;
    }
    ended.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    ended.out = process.readAllStandardOutput();
    ended.error = process.readAllStandardError();
    return ended;
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
    const Ended ended = runWithoutDisplay(arguments);
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
    row("--budget", "0%", "plimsoll: A budget is larger than 0.");
    row("--theme", "pink", "plimsoll: --theme takes light or dark, not \"pink\".");
    row("--colour", "pink", "plimsoll: Unknown option 'colour'.");
}

void GuiCommandLineTest::refusesInOneSentence()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, sentence);
    const Ended ended = runWithoutDisplay(arguments);
    QCOMPARE(ended.exit, 2);
    QVERIFY2(ended.error.startsWith(sentence), ended.error.constData());
    QVERIFY(ended.error.endsWith(".\n") && !ended.error.endsWith("..\n"));
    QCOMPARE(ended.error.count('\n'), 1);
}

void GuiCommandLineTest::leavesToolkitOptionsToTheToolkit()
{
    const Ended ended = runWithoutDisplay({QStringLiteral("-platform"), QStringLiteral("offscreen"),
                                           QStringLiteral("-style"), QStringLiteral("Fusion"),
                                           QStringLiteral("--budget"), QStringLiteral("80%"),
                                           QStringLiteral("--version")});
    QCOMPARE(ended.exit, 0);
    QVERIFY(ended.out.startsWith("plimsoll 0."));
}

} // namespace

QTEST_GUILESS_MAIN(GuiCommandLineTest)
#include "gui_command_line_test.moc"
