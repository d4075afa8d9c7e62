// SPDX-License-Identifier: Apache-2.0
// A source gives the same bytes by head, in parts, as a whole and mapped, from a file and from
// memory.
#include "core/io/source.h"

#include "tests/support/graph_file.h"
#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <string>

namespace {

namespace base = plimsoll::base;
namespace io = plimsoll::io;
using plimsoll::tests::gzipped;
using plimsoll::tests::messageOf;
using plimsoll::tests::TempFolder;

/// A megabyte in which every place is told from its neighbours.
std::string longText()
{
    std::string text;
    for (int i = 0; text.size() < (1U << 20U); ++i)
        text += std::to_string(i) + ' ';
    return text;
}

struct Streamed
{
    std::string text;
    std::size_t largestPart = 0;
    io::FileFacts file;
};

base::Result<Streamed> streamed(const io::Source& source)
{
    Streamed all;
    return source
        .stream([&](std::string_view part, const io::FileFacts& file) {
            all.text += part;
            all.largestPart = std::max(all.largestPart, part.size());
            all.file = file;
            return base::Result<void>{};
        })
        .map([&] { return all; });
}

class SourceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTheSameBytesEveryWay_data();
    void givesTheSameBytesEveryWay();
    void readsAWholeFileOnce();
    void endsWithTheSinksError();
    void mapsWhatLiesOnTheDisk();
    void refusesWhatCantBeMapped();
};

void SourceTest::givesTheSameBytesEveryWay_data()
{
    QTest::addColumn<bool>("compressed");
    QTest::addColumn<bool>("inMemory");
    QTest::newRow("plain") << false << false;
    QTest::newRow("compressed") << true << false;
    QTest::newRow("memory") << false << true;
}

void SourceTest::givesTheSameBytesEveryWay()
{
    QFETCH(bool, compressed);
    QFETCH(bool, inMemory);
    const TempFolder folder;
    const std::string text = longText();
    const std::string onDisk = compressed ? gzipped(text) : text;
    io::Source source = inMemory ? io::Source{"a", text} : io::Source{folder.fileWith("a", onDisk)};
    QCOMPARE(source.isInMemory(), inMemory);
    for (const std::size_t count : {std::size_t{1}, std::size_t{4096}, text.size() + 1}) {
        const auto head = source.head(count);
        QVERIFY2(head, messageOf(head));
        QCOMPARE(*head, text.substr(0, count));
    }
    const auto parts = streamed(source);
    QVERIFY2(parts, messageOf(parts));
    QVERIFY(parts->text == text);
    QCOMPARE(parts->file.compressed, compressed);
    QCOMPARE(parts->file.size, std::uint64_t{onDisk.size()});
    if (!inMemory)
        QVERIFY(parts->largestPart <= 256U << 10U);
    const auto whole = source.whole();
    QVERIFY2(whole, messageOf(whole));
    QVERIFY((*whole)->bytes == text);
    QVERIFY((*whole)->bytes.capacity() >= text.size() + io::kPadding);
}

void SourceTest::readsAWholeFileOnce()
{
    const TempFolder folder;
    const std::string path = folder.fileWith("a", "first");
    io::Source source{path};
    const auto before = source.whole();
    QVERIFY(before);
    QCOMPARE(folder.fileWith("a", "second"), path);
    QCOMPARE((*source.whole())->bytes, std::string{"first"});
    QCOMPARE(source.whole()->get(), before->get());
    io::Source other{path};
    QCOMPARE((*other.whole())->bytes, std::string{"second"});
}

void SourceTest::endsWithTheSinksError()
{
    const TempFolder folder;
    for (const std::string& content : {longText(), gzipped(longText())}) {
        int parts = 0;
        const auto done = io::Source{folder.fileWith("a", content)}.stream(
            [&parts](std::string_view, const io::FileFacts&) -> base::Result<void> {
                if (++parts < 2)
                    return {};
                return base::failure(base::ErrorKind::File, "Enough.");
            });
        QVERIFY(!done);
        QCOMPARE(done.error().message, std::string{"Enough."});
        QCOMPARE(parts, 2);
    }
}

void SourceTest::mapsWhatLiesOnTheDisk()
{
    const TempFolder folder;
    const std::string packed = gzipped(longText());
    auto mapped = io::Source{folder.fileWith("a", packed)}.map();
    QVERIFY2(mapped, messageOf(mapped));
    QVERIFY(mapped->bytes() == packed);
    io::MappedFile moved = *std::move(mapped);
    QVERIFY(moved.bytes() == packed);
    auto other = io::MappedFile::open(folder.fileWith("b", "other"));
    QVERIFY(other);
    moved = *std::move(other);
    QCOMPARE(std::string{moved.bytes()}, std::string{"other"});
}

void SourceTest::refusesWhatCantBeMapped()
{
    const TempFolder folder;
    for (const std::string& path :
         {folder.file("missing"), std::string{folder.path()}, folder.fileWith("e", "")}) {
        const auto mapped = io::MappedFile::open(path);
        const auto read = io::readFile(path);
        QVERIFY(!mapped && !read);
        QCOMPARE(mapped.error().message, read.error().message);
    }
}

} // namespace

PLIMSOLL_TEST(SourceTest, QCoreApplication)
#include "source_test.moc"
