// SPDX-License-Identifier: Apache-2.0
#include "core/capture/decode.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"
#include "tests/unit/capture/capture_file.h"

#include <QTest>

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
    for (std::size_t bit = 8 * sizeof(wire::FileHead); bit < 8 * whole.size(); ++bit) {
        std::string flipped = whole;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        const auto read = capture::decode(flipped, "x.plmcap");
        QVERIFY2(read, tests::messageOf(read));
        QVERIFY(read->chunks < 3 && read->leftOver > 0 && !read->ended);
    }
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
