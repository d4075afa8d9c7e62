// SPDX-License-Identifier: Apache-2.0
#include "core/io/atomic_file.h"

#include "core/io/byte_source.h"

#include "tests/support/temp_folder.h"

#include <QTest>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using plimsoll::base::ErrorKind;
using plimsoll::io::writeAtomically;
using plimsoll::support::TempFolder;

class AtomicFileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesNewFiles();
    void writesEmptyFiles();
    void replacesAndKeepsPermissions();
    void writesThroughLinks();
    void refusesWhatItCannotWrite();
    void leavesOneWholeContentWhenManyWrite();
};

std::string contentOf(const fs::path& path)
{
    const auto read = plimsoll::io::readFile(path);
    return read ? read->bytes : read.error().message;
}

std::ptrdiff_t filesIn(const fs::path& folder)
{
    return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
}

void AtomicFileTest::writesNewFiles()
{
    const TempFolder folder;
    const std::string path = folder.file("new.txt");
    const std::string bytes(1'000'000, 'x');
    QVERIFY(writeAtomically(path, bytes));
    QCOMPARE(contentOf(path), bytes);
    QCOMPARE(filesIn(folder.path()), 1);
    // Not executable, readable as the umask allows.
    QVERIFY((fs::status(path).permissions() & fs::perms::owner_write) != fs::perms::none);
    QVERIFY((fs::status(path).permissions() & fs::perms::owner_exec) == fs::perms::none);
}

void AtomicFileTest::writesEmptyFiles()
{
    const TempFolder folder;
    QVERIFY(writeAtomically(folder.file("empty"), {}));
    QCOMPARE(fs::file_size(folder.file("empty")), 0U);
}

void AtomicFileTest::replacesAndKeepsPermissions()
{
    const TempFolder folder;
    const std::string path = folder.fileWith("a", "old");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    QVERIFY(writeAtomically(path, "new"));
    QCOMPARE(contentOf(path), std::string{"new"});
    QVERIFY(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    QCOMPARE(filesIn(folder.path()), 1);
}

void AtomicFileTest::writesThroughLinks()
{
    const TempFolder folder;
    const std::string real = folder.fileWith("real", "old");
    const std::string link = folder.file("link");
    fs::create_symlink("real", link);
    QVERIFY(writeAtomically(link, "new"));
    QVERIFY(fs::is_symlink(link));
    QCOMPARE(contentOf(real), std::string{"new"});
}

void AtomicFileTest::refusesWhatItCannotWrite()
{
    const TempFolder folder;
    for (const std::string& path :
         {folder.path().string(), folder.file("no/such/folder/file"), std::string{"/dev/null"}}) {
        const auto written = writeAtomically(path, "bytes");
        QVERIFY2(!written, path.c_str());
        QVERIFY(written.error().kind == ErrorKind::File);
        QVERIFY2(written.error().message.starts_with(path), written.error().message.c_str());
    }
    QCOMPARE(filesIn(folder.path()), 0);
}

void AtomicFileTest::leavesOneWholeContentWhenManyWrite()
{
    const TempFolder folder;
    const std::string path = folder.file("shared");
    std::vector<std::thread> writers;
    for (char letter = 'a'; letter < 'e'; ++letter)
        writers.emplace_back([&path, letter] {
            for (int i = 0; i < 20; ++i)
                if (!writeAtomically(path, std::string(10'000, letter)))
                    return;
        });
    for (std::thread& writer : writers)
        writer.join();
    const std::string content = contentOf(path);
    QCOMPARE(content, std::string(10'000, content.front()));
    QCOMPARE(filesIn(folder.path()), 1);
}

} // namespace

QTEST_GUILESS_MAIN(AtomicFileTest)
#include "atomic_file_test.moc"
