// SPDX-License-Identifier: Apache-2.0
#include "core/io/byte_source.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>
#include <stop_token>
#include <string>
#include <sys/stat.h>

namespace {

using plimsoll::base::ErrorKind;
using plimsoll::base::JobContext;
using plimsoll::io::readFile;
using plimsoll::io::ReadLimits;
using plimsoll::tests::faultOfRefusal;
using plimsoll::tests::gzipped;
using plimsoll::tests::messageOf;
using plimsoll::tests::TempFolder;

class ByteSourceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsContent_data();
    void readsContent();
    void joinsMembers();
    void keepsPaddingBehindTheContent();
    void refusesWhatIsNoFile_data();
    void refusesWhatIsNoFile();
    void refusesDamagedFiles_data();
    void refusesDamagedFiles();
    void tellsWhereBytesBehindTheDataBegin();
    void answersEveryTruncation();
    void keepsItsLimits();
    void refusesBombsEarly();
    void stopsWhenAsked();
    void readsHeads();
};

std::string mixedText(std::size_t size)
{
    std::string text(size, '\0');
    std::uint32_t state = 1;
    for (char& byte : text) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<char>(state >> 28U);
    }
    return text;
}

void ByteSourceTest::readsContent_data()
{
    QTest::addColumn<std::size_t>("size");
    for (const std::size_t size : {1UL, 2UL, 100UL, 262'143UL, 262'144UL, 262'145UL, 3'000'000UL})
        QTest::addRow("%zu bytes", size) << size;
}

void ByteSourceTest::readsContent()
{
    QFETCH(std::size_t, size);
    const TempFolder folder;
    const std::string text = mixedText(size);
    const auto plain = readFile(folder.fileWith("plain", text));
    QVERIFY(plain);
    QVERIFY(!plain->file.compressed);
    QVERIFY(plain->bytes == text);
    QCOMPARE(plain->file.size, size);
    const auto unpacked = readFile(folder.fileWith("packed", gzipped(text)));
    QVERIFY2(unpacked, messageOf(unpacked));
    QVERIFY(unpacked->file.compressed);
    QVERIFY(unpacked->bytes == text);
}

void ByteSourceTest::joinsMembers()
{
    const TempFolder folder;
    const std::string first = mixedText(300'000);
    const auto read =
        readFile(folder.fileWith("two", gzipped(first) + gzipped("") + gzipped("second")));
    QVERIFY2(read, messageOf(read));
    QVERIFY(read->bytes == first + "second");
}

void ByteSourceTest::keepsPaddingBehindTheContent()
{
    const TempFolder folder;
    for (const std::string& content : {std::string{"{}"}, gzipped("{}")}) {
        const auto read = readFile(folder.fileWith("a", content));
        QVERIFY(read);
        QVERIFY(read->bytes.capacity() >= read->bytes.size() + plimsoll::io::kPadding);
    }
}

void ByteSourceTest::refusesWhatIsNoFile_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << "missing"
                             << "does not exist";
    QTest::newRow("folder") << "folder"
                            << "is a folder";
    QTest::newRow("empty") << "empty"
                           << "is empty (0 bytes)";
    QTest::newRow("pipe that nobody writes to") << "pipe"
                                                << "is not a regular file";
    QTest::newRow("device") << "device"
                            << "is not a regular file";
    QTest::newRow("nothing packed") << "packed"
                                    << "0 bytes unpacked";
}

void ByteSourceTest::refusesWhatIsNoFile()
{
    QFETCH(QString, kind);
    QFETCH(QString, says);
    const TempFolder folder;
    std::string path = folder.file("it");
    if (kind == QLatin1String{"folder"})
        path = folder.path().string();
    else if (kind == QLatin1String{"empty"})
        path = folder.fileWith("it", "");
    else if (kind == QLatin1String{"pipe"})
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
    else if (kind == QLatin1String{"device"})
        path = "/dev/zero";
    else if (kind == QLatin1String{"packed"})
        path = folder.fileWith("it", gzipped(""));
    const auto read = readFile(path);
    const std::string fault = faultOfRefusal(read, {says.toStdString()});
    QVERIFY2(fault.empty(), fault.c_str());
    QVERIFY2(read.error().message.starts_with(path), messageOf(read));
}

void ByteSourceTest::refusesDamagedFiles_data()
{
    QTest::addColumn<std::string>("content");
    const std::string packed = gzipped(mixedText(1000));
    std::string checksum = packed;
    checksum[checksum.size() - 5] = static_cast<char>(checksum[checksum.size() - 5] ^ 1);
    std::string middle = packed;
    middle[middle.size() / 2] = static_cast<char>(middle[middle.size() / 2] ^ 0x55);
    QTest::newRow("wrong checksum") << checksum;
    QTest::newRow("changed byte") << middle;
    QTest::newRow("only the magic number") << std::string{"\x1f\x8b\xff\xff\xff\xff"};
}

void ByteSourceTest::refusesDamagedFiles()
{
    QFETCH(std::string, content);
    const TempFolder folder;
    const auto read = readFile(folder.fileWith("bad.gz", content));
    const std::string fault =
        faultOfRefusal(read, {"damaged gzip data at byte ", " of the compressed file"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void ByteSourceTest::tellsWhereBytesBehindTheDataBegin()
{
    const TempFolder folder;
    const std::string packed = gzipped(mixedText(1000));
    for (const std::string& rest :
         {std::string{"garbage"}, std::string{"x"}, std::string(700, '\0'), std::string{"\x1f"},
          std::string{"\x1f\x8b\x08"}}) {
        for (const std::string& whole : {packed, packed + gzipped("second")}) {
            const auto read = readFile(folder.fileWith("more.gz", whole + rest));
            const std::string fault = faultOfRefusal(
                read, {"at byte " + std::to_string(whole.size()) + " of the compressed file",
                       "after the end of its compressed data"});
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }
}

void ByteSourceTest::answersEveryTruncation()
{
    const TempFolder folder;
    const std::string packed = gzipped(mixedText(300));
    for (std::size_t size = 2; size < packed.size(); ++size) {
        const auto read = readFile(folder.fileWith("cut.gz", packed.substr(0, size)));
        const std::string fault =
            faultOfRefusal(read, {"ends at byte " + std::to_string(size) + " in the middle"});
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

void ByteSourceTest::keepsItsLimits()
{
    const TempFolder folder;
    const std::string text = mixedText(1000);
    for (const std::string& content : {text, gzipped(text)}) {
        const std::string path = folder.fileWith("a", content);
        QVERIFY(readFile(path, {}, ReadLimits{.bytes = 1000}));
        const auto read = readFile(path, {}, ReadLimits{.bytes = 999});
        const std::string fault = faultOfRefusal(read, {"more than 999 B"});
        QVERIFY2(fault.empty(), fault.c_str());
    }
}

void ByteSourceTest::refusesBombsEarly()
{
    const TempFolder folder;
    const std::string path = folder.fileWith("bomb.gz", gzipped(std::string(20'000'000, '\0')));
    QVERIFY(readFile(path));
    const auto read = readFile(path, {}, ReadLimits{.freeBytes = 1'000'000});
    const std::string fault = faultOfRefusal(read, {"more than 250 times its size"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void ByteSourceTest::stopsWhenAsked()
{
    const TempFolder folder;
    std::stop_source source;
    source.request_stop();
    for (const std::string& content : {mixedText(1000), gzipped(mixedText(1000))}) {
        const auto read = readFile(folder.fileWith("a", content), JobContext{source.get_token()});
        QVERIFY(!read);
        QVERIFY(read.error().kind == ErrorKind::Cancelled);
    }
}

void ByteSourceTest::readsHeads()
{
    const TempFolder folder;
    const std::string text = mixedText(500'000);
    for (const std::string& content : {text, gzipped(text)}) {
        const auto head = plimsoll::io::readHead(folder.fileWith("a", content), 128);
        QVERIFY(head);
        QVERIFY(*head == text.substr(0, 128));
    }
    const auto whole = plimsoll::io::readHead(folder.fileWith("b", gzipped("short")), 128);
    QVERIFY(whole);
    QCOMPARE(*whole, std::string{"short"});
}

} // namespace

PLIMSOLL_TEST(ByteSourceTest, QCoreApplication)
#include "byte_source_test.moc"
