// SPDX-License-Identifier: Apache-2.0
#include "core/readers/registry.h"

#include "core/base/job_context.h"
#include "core/io/content_hash.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

namespace {

using plimsoll::readers::readProgram;
using plimsoll::readers::Registry;
using plimsoll::tests::faultOfRefusal;
using plimsoll::tests::graphText;
using plimsoll::tests::gzipped;
using plimsoll::tests::messageOf;
using plimsoll::tests::TempFolder;
using plimsoll::tests::tinyProgram;

class RegistryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void recognisesGraphs_data();
    void recognisesGraphs();
    void readsPlainAndCompressedAlike();
    void reportsProgressToTheEnd();
    void answersBadFilesWithOneSentence_data();
    void answersBadFilesWithOneSentence();
    void saysThatOffsetsCountDecompressedBytes();
};

void RegistryTest::recognisesGraphs_data()
{
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("head");
    QTest::addColumn<bool>("known");

    const std::string head = R"({"format": "plimsoll-graph", "version": 1, )";
    QTest::newRow("by content") << std::string{"a.txt"} << head << true;
    QTest::newRow("by content behind blanks") << std::string{"a"} << "\n  " + head << true;
    QTest::newRow("by extension") << std::string{"a.plimsoll.json"} << std::string{"{\"a\""}
                                  << true;
    QTest::newRow("by extension, compressed")
        << std::string{"a.plimsoll.json.gz"} << std::string{"{\"a\""} << true;
    QTest::newRow("a plan") << std::string{"a.json"}
                            << std::string{R"({"format": "plimsoll-plan"})"} << false;
    QTest::newRow("neither") << std::string{"a.json"} << std::string{"{}"} << false;
    QTest::newRow("nothing") << std::string{} << std::string{} << false;
}

void RegistryTest::recognisesGraphs()
{
    QFETCH(std::string, path);
    QFETCH(std::string, head);
    QFETCH(bool, known);
    const Registry registry{plimsoll::readers::graphReaders()};
    const auto* reader = registry.sniff(path, head);
    QCOMPARE(reader != nullptr, known);
    if (known)
        QCOMPARE(reader->id, std::string{"plimsoll-graph"});
}

void RegistryTest::readsPlainAndCompressedAlike()
{
    const TempFolder folder;
    const std::string text = graphText(tinyProgram());
    const auto plain = readProgram(folder.fileWith("a.plimsoll.json", text));
    const auto compressed = readProgram(folder.fileWith("b.gz", gzipped(text)));
    QVERIFY2(plain, messageOf(plain));
    QVERIFY2(compressed, messageOf(compressed));
    QVERIFY(plain->program->checks == compressed->program->checks);
    QCOMPARE(plain->contentHash, plimsoll::io::contentHash(text));
    QCOMPARE(compressed->contentHash, plain->contentHash);
}

void RegistryTest::reportsProgressToTheEnd()
{
    const TempFolder folder;
    plimsoll::base::Progress progress;
    const auto read = readProgram(folder.fileWith("a", graphText(tinyProgram())), {{}, &progress});
    QVERIFY(read);
    QCOMPARE(progress.perMille(), 1000);
}

void RegistryTest::answersBadFilesWithOneSentence_data()
{
    QTest::addColumn<std::string>("content");
    QTest::addColumn<std::string>("says");
    const std::string text = graphText(tinyProgram());
    const std::string packed = gzipped(text);
    QTest::newRow("empty") << std::string{} << std::string{"is empty (0 bytes)"};
    QTest::newRow("something else") << std::string{"SQLite format 3\0 etc", 20}
                                    << std::string{"is not a graph (it begins with \"SQLite"};
    QTest::newRow("binary") << std::string{"\x7f"
                                           "ELF\x02\n",
                                           6}
                            << std::string{"\\x7fELF"};
    QTest::newRow("cut off") << text.substr(0, 1000) << std::string{"ends at byte 1000"};
    QTest::newRow("compressed and cut off") << packed.substr(0, packed.size() / 2)
                                            << std::string{"in the middle of its compressed data"};
    QTest::newRow("cut off and compressed")
        << gzipped(text.substr(0, 1000)) << std::string{"byte 1000 of the decompressed text"};
    QTest::newRow("bomb") << gzipped(R"({"format": "plimsoll-graph")"
                                     + std::string(std::size_t{80} << 20U, ' '))
                          << std::string{"is refused"};
    QTest::newRow("blanks") << std::string(1000, ' ') << std::string{"is not a graph"};
}

void RegistryTest::answersBadFilesWithOneSentence()
{
    QFETCH(std::string, content);
    QFETCH(std::string, says);
    const TempFolder folder;
    const auto read = readProgram(folder.fileWith("bad.file", content));
    const std::string fault = faultOfRefusal(read, {"bad.file", says});
    QVERIFY2(fault.empty(), fault.c_str());
}

void RegistryTest::saysThatOffsetsCountDecompressedBytes()
{
    const TempFolder folder;
    auto file = plimsoll::tests::graphJson(tinyProgram());
    file["ops"][1][0] = 99;
    const auto read = readProgram(folder.fileWith("a.gz", gzipped(file.dump())));
    const std::string fault = faultOfRefusal(read, {" of the decompressed text has target 99"});
    QVERIFY2(fault.empty(), fault.c_str());
}

} // namespace

PLIMSOLL_TEST(RegistryTest, QCoreApplication)
#include "registry_test.moc"
