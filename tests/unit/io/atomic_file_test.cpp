// SPDX-License-Identifier: Apache-2.0
#include "core/io/atomic_file.h"

#include "core/io/byte_source.h"

#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <csignal>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using plimsoll::base::ErrorKind;
using plimsoll::io::writeAtomically;
using plimsoll::tests::TempFolder;

class AtomicFileTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesNewFiles();
    void writesEmptyFiles();
    void writesParts();
    void keepsTheOldFileWhenPartsEndWithAnError();
    void replacesAndKeepsPermissions();
    void writesThroughLinks();
    void createsWhatALinkPointsTo();
    void refusesLinksThatLeadNowhere();
    void refusesWhatItCannotWrite();
    void leavesNothingBehindWhenTheDiskIsFull();
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

void AtomicFileTest::writesParts()
{
    TempFolder folder;
    const fs::path path = folder.file("parts");
    QVERIFY(plimsoll::io::writeInParts(path, [](const plimsoll::io::Put& put) {
        for (const char* part : {"one, ", "", "two"})
            if (!put(part))
                std::abort();
        return plimsoll::base::Result<void>{};
    }));
    QCOMPARE(contentOf(path), std::string{"one, two"});
}

void AtomicFileTest::keepsTheOldFileWhenPartsEndWithAnError()
{
    TempFolder folder;
    const fs::path path = folder.fileWith("parts", "old");
    const auto written = plimsoll::io::writeInParts(path, [](const plimsoll::io::Put& put) {
        static_cast<void>(put("new"));
        return plimsoll::base::Result<void>{plimsoll::base::cancelled()};
    });
    QVERIFY(!written);
    QCOMPARE(written.error().kind, ErrorKind::Cancelled);
    QCOMPARE(contentOf(path), std::string{"old"});
    QCOMPARE(filesIn(fs::path{path}.parent_path()), std::ptrdiff_t{1});
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

void AtomicFileTest::createsWhatALinkPointsTo()
{
    const TempFolder folder;
    fs::create_directory(folder.file("inner"));
    fs::create_symlink("inner/second", folder.file("first"));
    fs::create_symlink("real", folder.file("inner/second"));
    QVERIFY(writeAtomically(folder.file("first"), "new"));
    QVERIFY(fs::is_symlink(folder.file("first")));
    QVERIFY(fs::is_symlink(folder.file("inner/second")));
    QVERIFY(!fs::is_symlink(folder.file("inner/real")));
    QCOMPARE(contentOf(folder.file("inner/real")), std::string{"new"});
    QCOMPARE(filesIn(folder.file("inner")), 2);
}

void AtomicFileTest::refusesLinksThatLeadNowhere()
{
    const TempFolder folder;
    fs::create_symlink("no/such/folder/file", folder.file("lost"));
    fs::create_symlink("round", folder.file("round"));
    fs::create_symlink("/dev/full", folder.file("device"));
    fs::create_symlink(".", folder.file("folder"));
    for (const char* name : {"lost", "round", "device", "folder"}) {
        const auto written = writeAtomically(folder.file(name), "bytes");
        QVERIFY2(!written, name);
        QVERIFY(written.error().kind == ErrorKind::File);
        QVERIFY(fs::is_symlink(folder.file(name)));
    }
    QCOMPARE(filesIn(folder.path()), 4);
}

/// A limit on the size of files fails a write half way, as a full disk does.
void AtomicFileTest::leavesNothingBehindWhenTheDiskIsFull()
{
    const TempFolder folder;
    const std::string path = folder.fileWith("kept", "old");
    rlimit before = {};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
    const auto previous = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = writeAtomically(path, std::string(5000, 'x'));
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, previous);
    QVERIFY(!written);
    QVERIFY(written.error().kind == ErrorKind::File);
    QCOMPARE(contentOf(path), std::string{"old"});
    QCOMPARE(filesIn(folder.path()), 1);
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

PLIMSOLL_TEST(AtomicFileTest, QCoreApplication)
#include "atomic_file_test.moc"
