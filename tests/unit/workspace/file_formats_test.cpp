// SPDX-License-Identifier: Apache-2.0
// Every kind of file is recognised by what it holds, and one in the wrong place is named.
#include "core/workspace/file_formats.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/saved_session.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

namespace {

namespace io = plimsoll::io;
namespace readers = plimsoll::readers;
namespace tests = plimsoll::tests;
namespace workspace = plimsoll::workspace;
using readers::FileKind;

class FileFormatsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recognisesEachKind_data();
    void recognisesEachKind();
    void recognisesSessionsWithoutOpeningThem();
    void saysWhatAFileIsInstead_data();
    void saysWhatAFileIsInstead();
};

void addFiles()
{
    QTest::addColumn<std::string>("content");
    QTest::addColumn<std::string>("id");
    QTest::newRow("graph") << tests::graphText(tests::tinyProgram())
                           << std::string{"plimsoll-graph"};
    QTest::newRow("plan") << std::string{R"( {"format": "plimsoll-plan", "version": 3})"}
                          << std::string{"plimsoll-plan"};
    QTest::newRow("measurement") << std::string{R"({"format": "plimsoll-measurement"})"}
                                 << std::string{"plimsoll-measurement"};
    QTest::newRow("chain") << std::string{R"({"ftime": [1], "btime": [1, 0]})"}
                           << std::string{"chain"};
    QTest::newRow("remat, nodes") << std::string{R"({"nodes": [], "edges": []})"}
                                  << std::string{"remat"};
    QTest::newRow("remat, columns")
        << std::string{R"({"time": [], "size": []})"} << std::string{"remat"};
    QTest::newRow("pack") << std::string{"id,upper,lower,size\na,1,0,4\n"} << std::string{"pack"};
    QTest::newRow("nothing known") << std::string{"{\"a\": 1}"} << std::string{};
    QTest::newRow("text") << std::string{"id,upper\n"} << std::string{};
}

void FileFormatsTest::recognisesEachKind_data()
{
    addFiles();
}

void FileFormatsTest::recognisesEachKind()
{
    QFETCH(std::string, content);
    QFETCH(std::string, id);
    const tests::TempFolder folder;
    for (const std::string& path :
         {folder.fileWith("a", content), folder.fileWith("b.gz", tests::gzipped(content))}) {
        const readers::Registry formats = workspace::fileFormats();
        const auto found = formats.find(io::Source{path});
        QVERIFY2(found, tests::messageOf(found));
        QCOMPARE(*found == nullptr ? std::string{} : (*found)->id, id);
    }
}

void FileFormatsTest::recognisesSessionsWithoutOpeningThem()
{
    const tests::TempFolder folder;
    const std::string path = folder.file("a.plimsoll");
    const auto owner = tests::createSession(path, {});
    QVERIFY(owner);
    QVERIFY(workspace::fileFormats().kindOf(path) == FileKind::Session);
    // Opening and closing it would have dropped the owner's locks: it could be replaced then.
    QVERIFY(!tests::createSession(path, {}));
    QVERIFY(!workspace::fileFormats().kindOf(folder.file("missing")));
}

void FileFormatsTest::saysWhatAFileIsInstead_data()
{
    addFiles();
}

void FileFormatsTest::saysWhatAFileIsInstead()
{
    QFETCH(std::string, content);
    const tests::TempFolder folder;
    const readers::Registry formats = workspace::fileFormats();
    for (const FileKind wanted : {FileKind::Graph, FileKind::Plan, FileKind::Measurement}) {
        io::Source source{folder.fileWith("file", content)};
        const auto found = formats.find(source);
        QVERIFY(found);
        if (*found != nullptr && (*found)->kind == wanted)
            continue;
        const std::string says = *found == nullptr
                                     ? std::string{" is not a "} + readers::kindName(wanted)
                                     : std::string{" is a "} + readers::kindName((*found)->kind)
                                           + ", not a " + readers::kindName(wanted) + ": ";
        const std::string fault =
            tests::faultOfRefusal(formats.read(source, wanted), {"file", says});
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

} // namespace

PLIMSOLL_TEST(FileFormatsTest, QCoreApplication)
#include "file_formats_test.moc"
