// SPDX-License-Identifier: Apache-2.0
#include "core/capture/decode.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"
#include "tests/unit/capture/capture_file.h"

#include <QTest>

#include <array>
#include <stop_token>
#include <string>
#include <vector>

using namespace plimsoll;
using tests::CaptureFile;
namespace wire = capture::wire;

namespace {

wire::Memory allocation(std::uint64_t address, std::uint64_t bytes)
{
    wire::Memory memory;
    memory.operation = wire::MemoryOperation::Allocate;
    memory.kind = wire::MemoryKind::Device;
    memory.address = address;
    memory.bytes = bytes;
    return memory;
}

/// A record of every kind, over three chunks.
std::string everyKind()
{
    CaptureFile file;
    wire::Process process;
    process.pid = 4711;
    process.command = 1;
    file.addText(1, "python train.py").add(process).add(wire::Clock{.cupti = 5}).seal();
    wire::Status status;
    status.code = wire::StatusCode::NoDriver;
    status.severity = wire::Severity::Failure;
    status.detail = 999;
    status.text = 2;
    file.addText(2, "").addText(3, "im2col").add(status).add(wire::Device{}).add(wire::Context{});
    file.add(allocation(16, 2)).add(wire::Pool{}).add(wire::Mapping{});
    file.add(wire::Kernel{.start = 7, .end = 9, .name = 3}).seal();
    file.add(wire::Copy{}).add(wire::Fill{}).add(wire::Call{}).add(wire::Marker{});
    file.add(wire::ExternalId{.id = 12}).add(wire::Drops{.byCupti = 3}).add(wire::End{}).seal();
    return file.bytes();
}

/// How many records there are of those that a capture keeps in lists.
std::size_t listed(const capture::Capture& capture)
{
    return capture.clocks.size() + capture.statuses.size() + capture.devices.size()
           + capture.contexts.size() + capture.memory.size() + capture.pools.size()
           + capture.mappings.size() + capture.kernels.size() + capture.copies.size()
           + capture.fills.size() + capture.calls.size() + capture.markers.size()
           + capture.externalIds.size();
}

class DecodeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEveryKind();
    void readsWhatLaterVersionsAdd();
    void readsAFileThatIsCutAtEachByte();
    void noFlippedBitIsRead();
    void goesOnBehindDamage_data();
    void goesOnBehindDamage();
    void lostTextsAreEmpty();
    void saysWhereDamageIs();
    void refusesWhatMakesNoSense_data();
    void refusesWhatMakesNoSense();
    void refusesOtherFiles_data();
    void refusesOtherFiles();
    void endsAtAChunkOutOfOrder();
    void stopsWhenAsked();
};

void DecodeTest::readsEveryKind()
{
    const auto read = capture::decode(everyKind(), "x.plmcap");
    QVERIFY2(read, tests::messageOf(read));
    QCOMPARE(read->process.pid, 4711U);
    QCOMPARE(read->text(read->process.command), std::string_view{"python train.py"});
    QCOMPARE(read->clocks.at(0).cupti, std::uint64_t{5});
    QCOMPARE(read->statuses.at(0).code, wire::StatusCode::NoDriver);
    QCOMPARE(read->statuses.at(0).detail, 999);
    QCOMPARE(read->memory.at(0).address, std::uint64_t{16});
    QCOMPARE(read->text(read->kernels.at(0).name), std::string_view{"im2col"});
    QCOMPARE(read->text(4), std::string_view{});
    QCOMPARE(read->externalIds.at(0).id, std::uint64_t{12});
    QCOMPARE(read->drops.byCupti, std::uint64_t{3});
    QCOMPARE(listed(*read), std::size_t{13}); // each list has one
    QVERIFY(read->ended);
    QCOMPARE(read->chunks, std::uint64_t{3});
    QCOMPARE(read->leftOver, std::uint64_t{0});
    QCOMPARE(read->unknownRecords, std::uint64_t{0});
}

void DecodeTest::readsWhatLaterVersionsAdd()
{
    wire::Kernel kernel{.start = 7};
    wire::Context unknown;
    unknown.head.kind = static_cast<wire::Kind>(999);
    CaptureFile file;
    file.addLonger(kernel, 16).addLonger(unknown, 8).addLonger(allocation(16, 2), 8).seal();
    const auto read = capture::decode(file.bytes(), "x.plmcap");
    QVERIFY2(read, tests::messageOf(read));
    QCOMPARE(read->kernels.at(0).start, std::uint64_t{7});
    QCOMPARE(read->memory.at(0).bytes, std::uint64_t{2});
    QCOMPARE(read->unknownRecords, std::uint64_t{1});
    // A longer head of the file is skipped as well.
    std::string longer = file.bytes();
    longer.insert(sizeof(wire::FileHead), 8, 'x');
    longer[12] = 24;
    QCOMPARE(capture::decode(longer, "x.plmcap").value().kernels.size(), std::size_t{1});
}

void DecodeTest::readsAFileThatIsCutAtEachByte()
{
    const std::string whole = everyKind();
    std::size_t before = 0;
    for (std::size_t size = wire::kFileMagic.size(); size < whole.size(); ++size) {
        const auto read = capture::decode(std::string_view{whole}.substr(0, size), "x.plmcap");
        QVERIFY2(read, tests::messageOf(read));
        QVERIFY(!read->ended);
        QVERIFY(listed(*read) >= before && read->leftOver <= size);
        QVERIFY(read->leftOver > 0 || size == sizeof(wire::FileHead) || read->chunks > 0);
        before = listed(*read);
    }
    QCOMPARE(before, std::size_t{8}); // of the first two chunks
}

void DecodeTest::noFlippedBitIsRead()
{
    const std::string whole = everyKind();
    const std::array sizes{whole.find("CHNK", 20), whole.rfind("CHNK")};
    for (std::size_t bit = 8 * sizeof(wire::FileHead); bit < 8 * whole.size(); ++bit) {
        std::string flipped = whole;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        const auto read = capture::decode(flipped, "x.plmcap");
        QVERIFY2(read, tests::messageOf(read));
        // What isn't read is left over, or damaged: 8 records are in the second chunk.
        const bool isFirst = bit / 8 < sizes[0];
        const bool isLast = bit / 8 >= sizes[1];
        QCOMPARE(read->chunks, std::uint64_t{2});
        QCOMPARE(listed(*read), std::size_t{isFirst ? 12U : isLast ? 8U : 6U});
        QCOMPARE(read->ended, !isLast);
        QVERIFY(isLast || read->damage.chunks == 1);
        QCOMPARE(read->leftOver + read->damage.bytes, isFirst  ? sizes[0] - sizeof(wire::FileHead)
                                                      : isLast ? whole.size() - sizes[1]
                                                               : sizes[1] - sizes[0]);
        QVERIFY(read->text(1).empty() == isFirst);
        QCOMPARE(read->text(3), std::string_view{isFirst || isLast ? "im2col" : ""});
    }
}

/// A file of chunks with a clock each, which says of which it is.
std::string clocks(std::uint64_t count, std::uint64_t first = 0)
{
    CaptureFile file;
    for (std::uint64_t i = first; i < first + count; ++i)
        file.add(wire::Clock{.cupti = i}).seal();
    return file.bytes();
}

constexpr std::size_t kHead = sizeof(wire::FileHead);
constexpr std::size_t kOne = sizeof(wire::ChunkHead) + sizeof(wire::Clock);

void DecodeTest::goesOnBehindDamage_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<QList<int>>("read");     // chunks
    QTest::addColumn<QList<qint64>>("where"); // damaged chunks, their bytes, the first; left over
    const auto spoilt = [](std::size_t at, std::size_t count) {
        return clocks(5).replace(at, count, count, '!');
    };
    QTest::newRow("nothing") << clocks(5) << QList<int>{0, 1, 2, 3, 4} << QList<qint64>{0, 0, 0, 0};
    QTest::newRow("a byte of a record") << spoilt(kHead + kOne + 30, 1) << QList<int>{0, 2, 3, 4}
                                        << QList<qint64>{1, kOne, kHead + kOne, 0};
    QTest::newRow("the mark of a chunk") << spoilt(kHead + kOne, 1) << QList<int>{0, 2, 3, 4}
                                         << QList<qint64>{1, kOne, kHead + kOne, 0};
    QTest::newRow("the length of a chunk") << spoilt(kHead + kOne + 4, 4) << QList<int>{0, 2, 3, 4}
                                           << QList<qint64>{1, kOne, kHead + kOne, 0};
    QTest::newRow("two chunks and a half")
        << spoilt(kHead + kOne, 2 * kOne + 30) << QList<int>{0, 4}
        << QList<qint64>{3, 3 * kOne, kHead + kOne, 0};
    QTest::newRow("two places") << spoilt(kHead + 30, 1).replace(kHead + 2 * kOne + 30, 1, "!")
                                << QList<int>{1, 3, 4} << QList<qint64>{2, 2 * kOne, kHead, 0};
    QTest::newRow("the last one") << spoilt(kHead + 4 * kOne + 30, 1) << QList<int>{0, 1, 2, 3}
                                  << QList<qint64>{1, kOne, kHead + 4 * kOne, 0};
    QTest::newRow("cut") << clocks(5).substr(0, kHead + 4 * kOne + 30) << QList<int>{0, 1, 2, 3}
                         << QList<qint64>{0, 0, 0, 30};
    QTest::newRow("damaged, and cut")
        << spoilt(kHead + kOne + 30, 1).substr(0, kHead + 4 * kOne + 30) << QList<int>{0, 2, 3}
        << QList<qint64>{1, kOne, kHead + kOne, 30};
    // A chunk of another file that begins with the same number is no part of this one.
    QTest::newRow("other bytes behind")
        << clocks(2) + "CHNK and so on, or not." + clocks(2) << QList<int>{0, 1}
        << QList<qint64>{0, 0, 0, 23 + kHead + 2 * kOne};
}

void DecodeTest::goesOnBehindDamage()
{
    QFETCH(std::string, bytes);
    QFETCH(QList<int>, read);
    QFETCH(QList<qint64>, where);
    const auto found = capture::decode(bytes, "x.plmcap");
    QVERIFY2(found, tests::messageOf(found));
    QList<int> chunks;
    for (const wire::Clock& clock : found->clocks)
        chunks += static_cast<int>(clock.cupti);
    QCOMPARE(chunks, read);
    QCOMPARE(found->chunks, static_cast<std::uint64_t>(read.size()));
    QCOMPARE((QList<qint64>{static_cast<qint64>(found->damage.chunks),
                            static_cast<qint64>(found->damage.bytes),
                            static_cast<qint64>(found->damage.firstAt),
                            static_cast<qint64>(found->leftOver)}),
             where);
}

/// Ids go on behind texts that are lost, and nothing else takes their place.
void DecodeTest::lostTextsAreEmpty()
{
    const auto fileWith = [](std::uint32_t next) {
        CaptureFile file;
        file.addText(1, "one").seal().addText(2, "two").addText(3, "three").seal();
        file.add(wire::Kernel{.name = 2}).seal();
        file.addText(next, "next").add(wire::Kernel{.name = next}).seal();
        return std::string{file.bytes()}.replace(kHead + sizeof(wire::ChunkHead) + 24 + 30, 1, "!");
    };
    const auto read = capture::decode(fileWith(4), "x.plmcap");
    QVERIFY2(read, tests::messageOf(read));
    QCOMPARE(read->damage.chunks, std::uint64_t{1});
    QCOMPARE(read->text(1), std::string_view{"one"});
    QCOMPARE(read->text(read->kernels.at(0).name), std::string_view{});
    QCOMPARE(read->text(3), std::string_view{});
    QCOMPARE(read->text(read->kernels.at(1).name), std::string_view{"next"});
    // More than the lost bytes can have held make no sense, nor do ids that were given already.
    for (const std::uint32_t id : {1U, 50U})
        QVERIFY(!capture::decode(fileWith(id), "x.plmcap"));
}

void DecodeTest::saysWhereDamageIs()
{
    QCOMPARE(capture::damageText({}), std::string{});
    QCOMPARE(capture::damageText({1, 41760, 23264, false}),
             std::string{"The file is damaged at byte 23264: 1 part (40.8 KiB) can't be read, so "
                         "that what was recorded in it is missing; the parts behind it are read."});
    QCOMPARE(capture::damageText({2, 41760, 23264, true}),
             std::string{"The file is damaged at byte 23264: 2 parts (40.8 KiB) can't be read, so "
                         "that what was recorded in them is missing, up to the end of the "
                         "recording."});
}

void DecodeTest::refusesWhatMakesNoSense_data()
{
    QTest::addColumn<std::string>("bytes");
    const auto row = [](const char* name, const CaptureFile& file) {
        QTest::newRow(name) << file.bytes();
    };
    const auto headOf = [](wire::Kind kind, std::uint32_t bytes) {
        const wire::RecordHead head{kind, 0, bytes};
        return std::string{reinterpret_cast<const char*>(&head), sizeof(head)};
    };
    row("a record without end", CaptureFile{}.addRaw(headOf(wire::Kind::Clock, 80)).seal());
    row("a record of no bytes", CaptureFile{}.addRaw(headOf(wire::Kind::Clock, 0)).seal());
    row("a record of odd bytes", CaptureFile{}.addRaw(headOf(wire::Kind::End, 9) + "x").seal());
    row("a record that is too short", CaptureFile{}.addRaw(headOf(wire::Kind::Kernel, 8)).seal());
    row("half a head", CaptureFile{}.addRaw("four").seal());
    row("a text out of order", CaptureFile{}.addText(2, "two").seal());
    row("a text twice", CaptureFile{}.addText(1, "one").addText(1, "one").seal());
    row("a text without end", CaptureFile{}.add(wire::Text{.id = 1, .length = 1}).seal());
    row("fewer records than said", CaptureFile{}.add(wire::End{}).seal(-1, 1));
    row("more records than said", CaptureFile{}.add(wire::End{}).seal(-1, -1));
}

void DecodeTest::refusesWhatMakesNoSense()
{
    QFETCH(std::string, bytes);
    const std::string fault =
        tests::faultOfRefusal(capture::decode(bytes, "x.plmcap"), {"x.plmcap", "at byte 16"});
    QVERIFY2(fault.empty(), fault.c_str());
}

void DecodeTest::refusesOtherFiles_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("word");
    QTest::newRow("a letter") << std::string{"Dear reader"} << std::string{"no"};
    QTest::newRow("nothing") << std::string{} << std::string{"is not a Plimsoll recording"};
    QTest::newRow("a later version")
        << CaptureFile{{.version = 2}}.bytes() << std::string{"update Plimsoll"};
    QTest::newRow("a head without end")
        << CaptureFile{{.bytes = 8}}.bytes() << std::string{"version 1"};
}

void DecodeTest::refusesOtherFiles()
{
    QFETCH(std::string, bytes);
    QFETCH(std::string, word);
    const std::string fault =
        tests::faultOfRefusal(capture::decode(bytes, "x.plmcap"), {"x.plmcap", word});
    QVERIFY2(fault.empty(), fault.c_str());
}

void DecodeTest::endsAtAChunkOutOfOrder()
{
    CaptureFile file;
    file.add(wire::Clock{}).seal().add(wire::Clock{}).seal(0).add(wire::Clock{}).seal();
    const auto read = capture::decode(file.bytes(), "x.plmcap");
    QVERIFY2(read, tests::messageOf(read));
    QCOMPARE(read->clocks.size(), std::size_t{1});
    QCOMPARE(read->leftOver, 2 * (sizeof(wire::ChunkHead) + sizeof(wire::Clock)));
}

void DecodeTest::stopsWhenAsked()
{
    std::stop_source source;
    source.request_stop();
    const auto read = capture::decode(everyKind(), "x.plmcap", {.stop = source.get_token()});
    QVERIFY(!read);
    QCOMPARE(read.error().kind, base::ErrorKind::Cancelled);
}

} // namespace

PLIMSOLL_TEST(DecodeTest, tests::NoApplication)
#include "decode_test.moc"
