// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/class_lines.h"
#include "tests/arch/rules.h"
#include "tests/arch/shape.h"
#include "tests/support/test_main.h"

#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <array>
#include <string>
#include <vector>
#include <zlib.h>

namespace {

using plimsoll::arch::SourceFile;
using Strings = std::vector<std::string>;

const QString kRoot = QStringLiteral(PLIMSOLL_SOURCE_DIR);

/// Files that git tracks; in an unpacked archive without git, all files except build output.
Strings trackedPaths()
{
    QProcess git;
    git.setWorkingDirectory(kRoot);
    git.start(QStringLiteral("git"), {QStringLiteral("-c"), QStringLiteral("safe.directory=*"),
                                      QStringLiteral("ls-files"), QStringLiteral("-z")});
    Strings paths;
    if (git.waitForFinished() && git.exitStatus() == QProcess::NormalExit && git.exitCode() == 0) {
        for (const QByteArray& path : git.readAllStandardOutput().split('\0')) {
            if (!path.isEmpty()
                && QFile::exists(kRoot + QLatin1Char('/') + QString::fromUtf8(path))) {
                paths.push_back(path.toStdString());
            }
        }
    }
    if (paths.empty()) {
        QDirIterator files{kRoot, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories};
        while (files.hasNext()) {
            const std::string path = QDir{kRoot}.relativeFilePath(files.next()).toStdString();
            if (!path.starts_with("build/") && !path.starts_with(".git/")) {
                paths.push_back(path);
            }
        }
    }
    return paths;
}

SourceFile load(const std::string& path)
{
    QFile file{kRoot + QLatin1Char('/') + QString::fromStdString(path)};
    if (!file.open(QIODevice::ReadOnly)) {
        return {path, {}};
    }
    const QByteArray bytes = file.readAll();
    // A picture has no lines and no words.
    return {path, bytes.contains('\0') ? std::string{} : bytes.toStdString()};
}

std::string unpack(const std::string& path)
{
    const std::string full = kRoot.toStdString() + "/" + path;
    std::string text;
    gzFile file = gzopen(full.c_str(), "rb");
    if (file == nullptr) {
        return text;
    }
    std::array<char, 1U << 16U> buffer{};
    for (int count = 1; count > 0;) {
        count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
        text.append(buffer.data(), static_cast<std::size_t>(std::max(count, 0)));
    }
    gzclose(file);
    return text;
}

/// The faults that the rules find in a file with its SPDX line and this body.
Strings faultsBelowHead(const std::string& path, const std::string& body)
{
    return plimsoll::arch::faultsOfFile({path, "// SPDX-License-Identifier: Apache-2.0\n" + body});
}

QByteArray lines(const Strings& faults)
{
    QByteArray all;
    for (const std::string& fault : faults) {
        all += "\n  " + QByteArray::fromStdString(fault);
    }
    return all;
}

class ArchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFileKeepsTheRules();
    void theTreeKeepsTheRules();
    void packedSamplesNameNoComputer();
    void aPlantedFaultIsFound_data();
    void aPlantedFaultIsFound();
    void whatIsAllowedPasses_data();
    void whatIsAllowedPasses();
    void aFaultOfTheTreeIsFound_data();
    void aFaultOfTheTreeIsFound();
    void theTreeKeepsItsShape();
    void aFaultOfShapeIsFound_data();
    void aFaultOfShapeIsFound();
    void noClassIsTooLongOrSpread();
    void countsTheLinesOfAClass();
    void newCommitsSayWhatAndWhy();
    void aFaultOfACommitIsFound_data();
    void aFaultOfACommitIsFound();
};

void ArchTest::everyFileKeepsTheRules()
{
    Strings faults;
    for (const std::string& path : trackedPaths()) {
        const Strings found = plimsoll::arch::faultsOfFile(load(path));
        faults.insert(faults.end(), found.begin(), found.end());
    }
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::theTreeKeepsTheRules()
{
    const Strings faults = plimsoll::arch::faultsOfTree(trackedPaths());
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::packedSamplesNameNoComputer()
{
    Strings faults;
    for (const std::string& path : trackedPaths()) {
        if (path.ends_with(".gz")) {
            const Strings words = plimsoll::arch::machineWords(unpack(path));
            if (!words.empty()) {
                faults.push_back(path + " names " + words.front());
            }
        }
    }
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::aPlantedFaultIsFound_data()
{
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("expected");

    const auto row = [](const char* name, const std::string& path, const std::string& body,
                        const std::string& expected) {
        QTest::newRow(name) << path << body << expected;
    };
    row("an include upwards", "core/graph/a.cpp", "#include \"core/plan/plan.h\"\n",
        "may not include");
    row("an include of the window from core", "core/workspace/a.h",
        "#include \"ui/base/theme.h\"\n", "may not include");
    row("the test support in the product", "core/io/a.cpp", "#include \"tests/support/temp.h\"\n",
        "may not include");
    row("a planner that knows another", "core/solve/chain/a.cpp",
        "#include \"core/solve/remat/b.h\"\n", "may not include");
    row("a format that knows another", "core/readers/pt2/reader.cpp",
        "#include \"core/readers/onnx/reader.h\"\n", "may not include");
    row("a view that opens the workspace", "ui/timeline/view.cpp",
        "#include \"core/workspace/workspace.h\"\n", "may not include");
    row("a panel that knows the window", "ui/plan_panel/a.cpp",
        "#include \"ui/shell/main_window.h\"\n", "may not include");
    row("a capture's bytes that need core", "core/capture/wire.h",
        "#include \"core/base/result.h\"\n", "may not include");
    row("a capture's bytes that need their reader", "core/capture/wire.h",
        "#include \"core/capture/decode.h\"\n", "may not include");
    row("core in a foreign process", "app/inject/a.cpp", "#include \"core/base/result.h\"\n",
        "may not include");
    row("JSON in a foreign process", "app/inject/a.cpp", "#include <nlohmann/json.hpp>\n",
        "not its module's");
    row("an include with spaces", "core/base/a.h", "  #  include \"core/io/b.h\"\n",
        "may not include");
    row("a path that is not from the root", "core/base/a.cpp", "#include \"a.h\"\n",
        "not named from the root");
    row("a module nobody agreed on", "core/utils/a.cpp", "#include \"core/base/result.h\"\n",
        "does not know");
    row("a checker that evaluates", "core/verify/a.cpp", "#include \"core/evaluate/evaluate.h\"\n",
        "may not include");
    row("a checker that shares the code of values", "core/verify/a.cpp",
        "#include \"core/plan/schedule.h\"\n", "may not include");
    row("Qt in core", "core/timeline/a.h", "#include <QString>\n", "core knows no Qt");
    row("Qt by its module in core", "core/timeline/a.h", "#include <QtCore/QString>\n",
        "core knows no Qt");
    row("JSON where numbers are made", "core/timeline/a.cpp", "#include <nlohmann/json.hpp>\n",
        "not its module's");
    row("the command line parser in core", "core/workspace/a.cpp", "#include <CLI/CLI.hpp>\n",
        "not its module's");
    row("SQL in the window", "ui/shell/a.cpp", "#include <sqlite3.h>\n", "not its module's");
    row("a Result that may be ignored", "core/io/a.h", "Result<int> read(int from);\n",
        "not [[nodiscard]]");
    row("a Result in a namespace", "core/io/a.h", "int x;\nbase::Result<std::vector<int>> all();\n",
        "not [[nodiscard]]");
    row("a method that may be ignored", "core/io/a.h",
        "class A\n{\npublic:\n    static Result<void> write();\n};\n", "not [[nodiscard]]");
    row("a file that is too long", "core/io/a.cpp", std::string(501, '\n'), "more than 500");
    row("a path of a computer", "README.md", std::string{"see /ro"} + "ot/notes\n",
        "names a computer");
    row("a path of a user", "resources/a.py", std::string{"x = '/ho"} + "me/ann/x'\n",
        "names a computer");
}

void ArchTest::aPlantedFaultIsFound()
{
    QFETCH(std::string, path);
    QFETCH(std::string, body);
    QFETCH(std::string, expected);
    const Strings faults = faultsBelowHead(path, body);
    QCOMPARE(faults.size(), std::size_t{1});
    QVERIFY2(faults.front().find(expected) != std::string::npos, faults.front().c_str());
}

void ArchTest::whatIsAllowedPasses_data()
{
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("body");

    const auto row = [](const char* name, const std::string& path, const std::string& body) {
        QTest::newRow(name) << path << body;
    };
    row("an include downwards", "core/plan/a.cpp", "#include \"core/graph/program.h\"\n");
    row("an include of its own", "core/plan/a.cpp", "#include \"core/plan/plan.h\"\n");
    row("the registry knows its formats", "core/readers/registry.cpp",
        "#include \"core/readers/plimsoll_graph/reader.h\"\n");
    row("a format knows the registry's interface", "core/readers/plimsoll_graph/reader.h",
        "#include \"core/readers/registry.h\"\n");
    row("a planner uses what all share", "core/solve/chain/a.cpp",
        "#include \"core/solve/api/planner.h\"\n");
    row("the checker knows the values", "core/verify/a.cpp", "#include \"core/plan/plan.h\"\n");
    row("a program composes everything", "app/gui/main.cpp",
        "#include \"core/solve/chain/rotor.h\"\n#include <QApplication>\n");
    row("the injected library writes", "app/inject/a.cpp",
        "#include \"app/inject/b.h\"\n#include \"core/capture/wire.h\"\n#include <cupti.h>\n");
    row("a moc file", "ui/shell/a.cpp", "#include \"a.moc\"\n");
    row("Qt in the window", "ui/shell/a.cpp", "#include <QMainWindow>\n");
    row("a Result that is kept", "core/io/a.h", "[[nodiscard]] Result<int> read(int from);\n");
    row("a Result over two lines", "core/io/a.h",
        "[[nodiscard]] static\n    Result<int> read(int from);\n");
    row("a friend that makes a Result", "core/io/a.h",
        "class A\n{\n    friend Result<int> read(int from);\n};\n");
    row("a Result that is taken", "core/io/a.h", "void done(Result<int> result, int code);\n");
    row("a callback of a Result", "core/io/a.h", "using Work = std::function<Result<int>(int)>;\n");
    row("a Result in a comment", "core/io/a.h", "// Result<int> f();\n/* Result<int> g(); */\n");
    row("a file of just the allowed length", "core/io/a.cpp", std::string(499, '\n'));
}

void ArchTest::whatIsAllowedPasses()
{
    QFETCH(std::string, path);
    QFETCH(std::string, body);
    const Strings faults = faultsBelowHead(path, body);
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::aFaultOfTheTreeIsFound_data()
{
    QTest::addColumn<Strings>("paths");
    QTest::addColumn<std::string>("expected");

    const auto row = [](const char* name, const Strings& paths, const std::string& expected) {
        QTest::newRow(name) << paths << expected;
    };
    row("a folder at the top", {"docs/a.md"}, "more than was agreed");
    row("a file at the top", {"notes.txt"}, "more than was agreed");
    row("a reader without its text", {"core/readers/pt2/reader.cpp", "core/readers/pt2/reader.h"},
        "pt2/FORMAT.md");
    row("a session without its text", {"core/session/store.cpp"}, "core/session/FORMAT.md");
    row("a plan file without its text",
        {"core/plan_file/plan_json.cpp", "core/plan_file/plan_json.h"}, "core/plan_file/FORMAT.md");
    row("nothing wrong",
        {"core/readers/pt2/reader.cpp", "core/readers/pt2/FORMAT.md", ".ci/run", "LICENSE"}, "");
}

void ArchTest::aFaultOfTheTreeIsFound()
{
    QFETCH(Strings, paths);
    QFETCH(std::string, expected);
    const Strings faults = plimsoll::arch::faultsOfTree(paths);
    QCOMPARE(faults.size(), expected.empty() ? std::size_t{0} : std::size_t{1});
    QVERIFY(expected.empty() || faults.front().find(expected) != std::string::npos);
}

void ArchTest::theTreeKeepsItsShape()
{
    std::vector<SourceFile> files;
    for (const std::string& path : trackedPaths()) {
        if (path.ends_with(".cpp") || path.ends_with(".h") || path.ends_with(".py")) {
            files.push_back(load(path));
        }
    }
    QVERIFY(files.size() > 500);
    const Strings faults = plimsoll::arch::faultsOfShape(files);
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::aFaultOfShapeIsFound_data()
{
    QTest::addColumn<std::vector<SourceFile>>("files");
    QTest::addColumn<std::string>("expected");

    std::vector<SourceFile> many;
    for (int i = 0; i < 31; ++i) {
        many.push_back({"core/plan/a" + std::to_string(i) + ".cpp", {}});
    }
    QTest::newRow("a folder that is too large") << many << std::string{"31 source files"};
    QTest::newRow("a header that is too long")
        << std::vector<SourceFile>{{"core/plan/a.h", std::string(201, '\n')}}
        << std::string{"more than a header's 200"};
    QTest::newRow("two headers") << std::vector<SourceFile>{{"core/a.h", "#include \"core/b.h\"\n"},
                                                            {"core/b.h", "#include \"core/a.h\"\n"}}
                                 << std::string{"circle"};
    QTest::newRow("a source that closes the circle")
        << std::vector<SourceFile>{{"core/a.h", "#include \"core/b.h\"\n"},
                                   {"core/b.h", "#include \"core/c.h\"\n"},
                                   {"core/c.h", ""},
                                   {"core/c.cpp", "#include \"core/c.h\"\n#include \"core/a.h\"\n"}}
        << std::string{"core/a, core/b, core/c"};
    QTest::newRow("no circle") << std::vector<SourceFile>{{"core/a.h", "#include \"core/b.h\"\n"},
                                                          {"core/b.h", ""},
                                                          {"core/b.cpp", "#include \"core/b.h\"\n"}}
                               << std::string{};
}

void ArchTest::aFaultOfShapeIsFound()
{
    QFETCH(std::vector<SourceFile>, files);
    QFETCH(std::string, expected);
    const Strings faults = plimsoll::arch::faultsOfShape(files);
    QCOMPARE(faults.size(), expected.empty() ? std::size_t{0} : std::size_t{1});
    QVERIFY(expected.empty() || faults.front().find(expected) != std::string::npos);
}

void ArchTest::noClassIsTooLongOrSpread()
{
    std::vector<SourceFile> files;
    for (const std::string& path : trackedPaths()) {
        const bool isCode = path.ends_with(".cpp") || path.ends_with(".h");
        if (isCode
            && (path.starts_with("core/") || path.starts_with("ui/") || path.starts_with("app/"))) {
            files.push_back(load(path));
        }
    }
    const Strings faults = plimsoll::arch::faultsOfClasses(files);
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::countsTheLinesOfAClass()
{
    const std::string header =
        "namespace a {\n\n/// Says what.\nclass One : public Base\n{\npublic:\n"
        "    void f() { g(); }\n};\n\nstruct Two\n{\n    int x = 0;\n};\n\n}\n";
    const std::string source =
        "namespace a {\n\nvoid free(int x)\n{\n}\n\nOne::One(int x) : Base{x} {}\n\n"
        "std::function<void(int)> One::make(int x,\n                                   int y)\n"
        "{\n    if (x) {\n    }\n}\n\n}\n";
    const std::string other = "class One\n{\n};\n\nvoid One::f()\n{\n}\n";
    const auto classes = plimsoll::arch::classesOf({{"core/a/one.h", header},
                                                    {"core/a/one.cpp", source},
                                                    {"core/a/more.cpp", "void One::g()\n{\n}\n"},
                                                    {"core/a/z.cpp", other}});
    QCOMPARE(classes.size(), std::size_t{3});
    QCOMPARE(classes[0].name, std::string{"core/a/One"});
    QCOMPARE(classes[0].lines, std::size_t{5 + 1 + 6 + 3});
    QCOMPARE(classes[0].sources.size(), std::size_t{2});
    QCOMPARE(classes[1].name, std::string{"core/a/Two"});
    QCOMPARE(classes[1].lines, std::size_t{4});
    QCOMPARE(classes[2].lines, std::size_t{3 + 3}); // another One, which belongs to its file alone
    QCOMPARE(classes[2].sources.size(), std::size_t{1});
}

/// The last 20 commits, as far as they were made under this rule; an unpacked archive has none.
void ArchTest::newCommitsSayWhatAndWhy()
{
    if (!QFile::exists(kRoot + QStringLiteral("/.git"))) {
        return;
    }
    QProcess git;
    git.setWorkingDirectory(kRoot);
    git.start(QStringLiteral("git"),
              {QStringLiteral("-c"), QStringLiteral("safe.directory=*"), QStringLiteral("log"),
               QStringLiteral("-n"), QStringLiteral("20"), QStringLiteral("--no-merges"),
               QStringLiteral("--since=2026-11-24"), QStringLiteral("--format=%B%x00")});
    QVERIFY(git.waitForFinished());
    QCOMPARE(git.exitCode(), 0);
    Strings faults;
    for (const QByteArray& message : git.readAllStandardOutput().split('\0')) {
        if (const QByteArray text = message.trimmed(); !text.isEmpty()) {
            if (std::string fault = plimsoll::arch::faultOfCommit(text.toStdString());
                !fault.empty()) {
                faults.push_back(std::move(fault));
            }
        }
    }
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void ArchTest::aFaultOfACommitIsFound_data()
{
    QTest::addColumn<std::string>("message");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& message, const std::string& expected) {
        QTest::newRow(name) << message << expected;
    };
    row("good", "Bound one limit\n\nIt ran over.\n", "");
    row("no body", "Bound one limit\n", "no body");
    row("too long", std::string(73, 'A').append("\n\nWhy."), "more than 72");
    row("a sentence", "Bound one limit.\n\nWhy.", "without a period");
    row("small", "bound one limit\n\nWhy.", "capital letter");
}

void ArchTest::aFaultOfACommitIsFound()
{
    QFETCH(std::string, message);
    QFETCH(std::string, expected);
    const std::string fault = plimsoll::arch::faultOfCommit(message);
    QCOMPARE(fault.empty(), expected.empty());
    QVERIFY(fault.find(expected) != std::string::npos);
}

} // namespace

PLIMSOLL_TEST(ArchTest, QCoreApplication)
#include "arch_test.moc"
