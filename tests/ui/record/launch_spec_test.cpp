// SPDX-License-Identifier: Apache-2.0
// What is typed to record a program: taken apart, refused in a sentence, and as a line for a shell.
#include "ui/record/launch_spec.h"

#include "ui/record/output_view.h"
#include "ui/record/recorded_process.h"

#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QProcess>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;

class LaunchSpecTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itIsTakenApart();
    void whatIsWrongIsTold_data();
    void whatIsWrongIsTold();
    void theLineDoesTheSameInAShell();
    void theSettingsKeepIt();
    void clocksAreShort();
    void progressBarsOverwrite();
};

void LaunchSpecTest::itIsTakenApart()
{
    LaunchFault fault;
    const auto parts =
        partsOf({.command = QStringLiteral("sh -c \"echo a b\" 'c \"d\\' e\\ f\"\\\"g\" \"\""),
                 .folder = QStringLiteral("/"),
                 .environment = QStringLiteral("A=1\n\n B = x=y \nC=")},
                fault);
    QVERIFY2(parts, qPrintable(fault.sentence));
    QVERIFY2(parts->program.endsWith(QStringLiteral("/sh")), qPrintable(parts->program));
    QCOMPARE(parts->arguments,
             (QStringList{QStringLiteral("-c"), QStringLiteral("echo a b"),
                          QStringLiteral("c \"d\\"), QStringLiteral("e f\"g"), QString{}}));
    QCOMPARE(parts->folder, QStringLiteral("/"));
    QCOMPARE(parts->environment.value(QStringLiteral("A")), QStringLiteral("1"));
    QCOMPARE(parts->environment.value(QStringLiteral("B")), QStringLiteral("x=y"));
    QVERIFY(parts->environment.contains(QStringLiteral("C")));
    QVERIFY(parts->environment.contains(QStringLiteral("PATH")));
}

void LaunchSpecTest::whatIsWrongIsTold_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("environment");
    QTest::addColumn<int>("field");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* name, const char* command, const char* folder,
                        const char* environment, LaunchField field, const char* sentence) {
        QTest::newRow(name) << QString::fromUtf8(command) << QString::fromUtf8(folder)
                            << QString::fromUtf8(environment) << static_cast<int>(field)
                            << QString::fromUtf8(sentence);
    };
    row("no program", "  ", "/", "", LaunchField::Command,
        "Enter the program to record, such as python train.py.");
    row("an open quote", "python 'my train.py", "/", "", LaunchField::Command,
        "A quote is not closed: close it, or put a backslash before it.");
    row("not in PATH", "no-such-program-4711 x", "/", "", LaunchField::Command,
        "no-such-program-4711 is in no folder of PATH: check its name, or give its path.");
    row("not executable", "./etc/passwd", "/", "", LaunchField::Command,
        "./etc/passwd is no file that can be executed: check its name and its permissions.");
    row("a folder", "/etc", "/", "", LaunchField::Command,
        "/etc is no file that can be executed: check its name and its permissions.");
    row("no folder", "sh", "/no/such/folder", "", LaunchField::Folder,
        "/no/such/folder is no folder: choose one.");
    row("no equals sign", "sh", "/", "A=1\nexport B=2", LaunchField::Environment,
        "Line 2 is not of the form NAME=VALUE: correct or remove it.");
    row("no name", "sh", "/", "=2", LaunchField::Environment,
        "Line 1 is not of the form NAME=VALUE: correct or remove it.");
    row("another PATH", "sh", "/", "PATH=/no/such/folder", LaunchField::Command,
        "sh is in no folder of PATH: check its name, or give its path.");
}

void LaunchSpecTest::whatIsWrongIsTold()
{
    QFETCH(QString, command);
    QFETCH(QString, folder);
    QFETCH(QString, environment);
    LaunchFault fault;
    QVERIFY(!partsOf({.command = command, .folder = folder, .environment = environment}, fault));
    QTEST(static_cast<int>(fault.field), "field");
    QTEST(fault.sentence, "sentence");
}

void LaunchSpecTest::theLineDoesTheSameInAShell()
{
    QCOMPARE(recordLine({}), QString{});
    QCOMPARE(
        recordLine({.command = QStringLiteral("true"), .environment = QStringLiteral("A=1\nB")}),
        QString{});
    QCOMPARE(recordLine({.command = QStringLiteral("python train.py --epochs 1")}),
             QStringLiteral("plimsoll-cli record -- python train.py --epochs 1"));
    // A shell that gets the line, with a function in place of the program, sees these words.
    const tests::TempFolder folder;
    const LaunchSpec spec{.command = QStringLiteral("a.sh \"it's $HOME\" \"*\" \"\""),
                          .folder = QString::fromStdString(folder.path().string()),
                          .environment = QStringLiteral("ONE=a 'b'\nTWO="),
                          .output = QStringLiteral("my file.plmcap"),
                          .snapshot = true};
    QProcess shell;
    const QString f =
        QStringLiteral("f() { pwd; printf '%s|' \"$ONE\" \"${TWO-unset}\" \"$@\"; }\n");
    const QString line =
        recordLine(spec).replace(QStringLiteral("plimsoll-cli"), QStringLiteral("f"));
    shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), f + line});
    QVERIFY(shell.waitForFinished());
    QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()),
             spec.folder
                 + QStringLiteral("\na 'b'||record|-o|my file.plmcap|--snapshot|--|a.sh|"
                                  "it's $HOME|*||"));
    QCOMPARE(shell.readAllStandardError(), QByteArray{});
}

void LaunchSpecTest::theSettingsKeepIt()
{
    const LaunchSpec spec{.command = QStringLiteral("python \"ä b.py\""),
                          .folder = QStringLiteral("/tmp"),
                          .environment = QStringLiteral("A=1\nB=2"),
                          .output = QStringLiteral("x.plmcap"),
                          .tensors = true};
    QVERIFY(launchSpecOf(textOf(spec)) == spec);
    QVERIFY(launchSpecOf(QStringLiteral("{damaged")) == LaunchSpec{});
    // They exclude each other.
    QVERIFY(!launchSpecOf(QStringLiteral("{\"tensors\":true,\"snapshot\":true}")).snapshot);
}

void LaunchSpecTest::clocksAreShort()
{
    QCOMPARE(clockText(7'999), QStringLiteral("0:07"));
    QCOMPARE(clockText(83'000), QStringLiteral("1:23"));
    QCOMPARE(clockText(3'753'000), QStringLiteral("1:02:33"));
}

void LaunchSpecTest::progressBarsOverwrite()
{
    OutputView view;
    view.add(QStringLiteral("begin\n10 %\r20"));
    QTRY_COMPARE(view.toPlainText(), QStringLiteral("begin\n20"));
    view.add(QStringLiteral(" %\r\x1b[32mdone\x1b[0m\r\nlast"));
    QTRY_COMPARE(view.toPlainText(), QStringLiteral("begin\ndone\nlast"));
    view.add(QString{6000, u'\n'});
    QTRY_VERIFY(!view.toPlainText().contains(QStringLiteral("begin")));
    QVERIFY(view.blockCount() <= 5000);
}

} // namespace

PLIMSOLL_TEST(LaunchSpecTest, QApplication)
#include "launch_spec_test.moc"
