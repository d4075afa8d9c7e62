// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture/reader.h"
#include "core/readers/registry.h"

#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/capture/capture_file.h"

#include <QTest>

#include <algorithm>
#include <string>

using namespace plimsoll;
using tests::CaptureFile;
namespace wire = capture::wire;
using memtrace::MemoryTracePtr;
using wire::MappingOperation;
using wire::MemoryKind;
using wire::MemoryOperation;

namespace {

constexpr std::uint64_t kEpoch = 1'700'000'000'000'000'000;

wire::Memory memory(std::uint64_t time, MemoryOperation operation, std::uint64_t address,
                    std::uint64_t bytes, MemoryKind kind = MemoryKind::Device)
{
    wire::Memory record;
    record.time = kEpoch + time;
    record.operation = operation;
    record.kind = kind;
    record.address = address;
    record.bytes = bytes;
    record.stream = wire::kNone;
    return record;
}

wire::Mapping mapping(std::uint64_t time, MappingOperation operation, std::uint64_t address,
                      std::uint64_t bytes, std::uint64_t handle)
{
    wire::Mapping record;
    record.time = kEpoch + time;
    record.operation = operation;
    record.address = address;
    record.bytes = bytes;
    record.handle = handle;
    record.device = operation == MappingOperation::Create ? 1 : wire::kNone;
    return record;
}

wire::Marker marker(std::uint64_t time, std::uint32_t id, std::uint32_t flags, std::uint32_t name)
{
    wire::Marker record;
    record.time = kEpoch + time;
    record.id = id;
    record.flags = flags;
    record.name = name;
    return record;
}

base::Result<MemoryTracePtr> traceOf(CaptureFile& file)
{
    const tests::TempFolder folder;
    return readers::readProfile(io::Source{folder.fileWith("x.plmcap", file.seal().bytes())})
        .map([](const readers::ReadProfile& profile) { return profile.trace; });
}

class CaptureTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anAllocationIsASegmentWithOneBlock();
    void isRecordedUntilTheLastClock();
    void releasesNeedNotTellTheirBytes();
    void mappedMemoryIsOfTheDeviceThatHasIt();
    void hostMemoryIsADeviceOfItsOwn();
    void callsAreStacks();
    void rangesAreAnnotations();
    void aClockOfItsOwnIsSetRight();
    void tellsWhatIsMissing();
    void namesDamage();
    void saysWhyThereIsNoMemory();
    void isRecognised();
};

void CaptureTest::anAllocationIsASegmentWithOneBlock()
{
    CaptureFile file;
    file.add(memory(30, MemoryOperation::Release, 0x1000, 64))
        .add(memory(10, MemoryOperation::Allocate, 0x1000, 64))
        .add(memory(20, MemoryOperation::Allocate, 0x2000, 32));
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    const memtrace::DeviceTrace& device = (*trace)->devices().at(0);
    QCOMPARE(device.allocations().size(), std::size_t{2});
    QCOMPARE(device.segments().size(), std::size_t{2});
    QCOMPARE(device.allocations().bytes[0], std::int64_t{64});
    QVERIFY(device.allocations().freeEvent[0] != memtrace::kNoEvent);
    QCOMPARE(device.allocations().freeEvent[1], memtrace::kNoEvent);
    QCOMPARE((*trace)->epochNs(), static_cast<std::int64_t>(kEpoch + 10));
    QCOMPARE((*trace)->duration().count(), std::int64_t{20});
    QVERIFY((*trace)->statistics().empty());
}

/// What is live at the last event is so until the recorder looked at its clocks for the last time.
void CaptureTest::isRecordedUntilTheLastClock()
{
    CaptureFile file;
    file.add(memory(10, MemoryOperation::Allocate, 0x1000, 64));
    wire::Clock clock;
    clock.realtime = kEpoch + 5000;
    file.add(clock);
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    QCOMPARE((*trace)->duration().count(), std::int64_t{4990});
    const memtrace::DeviceTrace& device = (*trace)->devices().at(0);
    QCOMPARE(device.axisTimes()[device.stepCount()], std::int64_t{4990});
    clock.realtime = ~std::uint64_t{0}; // of a damaged file
    const auto damaged = traceOf(file.add(clock));
    QVERIFY2(damaged, tests::messageOf(damaged));
    QVERIFY((*damaged)->duration().count() > 0);
}

void CaptureTest::releasesNeedNotTellTheirBytes()
{
    CaptureFile file;
    file.add(memory(10, MemoryOperation::Allocate, 0x1000, 64))
        .add(memory(20, MemoryOperation::Release, 0x1000, 0));
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    const memtrace::DeviceTrace& device = (*trace)->devices().at(0);
    QVERIFY(device.segments().at(0).end != memtrace::kNoEvent);
    QVERIFY((*trace)->statistics().empty());
}

void CaptureTest::mappedMemoryIsOfTheDeviceThatHasIt()
{
    CaptureFile file;
    file.add(mapping(1, MappingOperation::Create, 0, 64, 7))
        .add(mapping(2, MappingOperation::Create, 0, 64, 8))
        .add(mapping(3, MappingOperation::Map, 0x1000, 64, 7))
        .add(mapping(4, MappingOperation::Map, 0x1040, 64, 8))
        .add(mapping(5, MappingOperation::Unmap, 0x1000, 128, 0))
        .add(mapping(6, MappingOperation::Map, 0x9000, 64, 99));
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    QCOMPARE((*trace)->devices().size(), std::size_t{1});
    const memtrace::DeviceTrace& device = (*trace)->devices().at(0);
    QCOMPARE(device.ordinal(), 1);
    QCOMPARE(device.allocations().size(), std::size_t{2});
    QVERIFY(std::ranges::all_of(device.segments(), [](const memtrace::Segment& segment) {
        return segment.isExpandable && segment.end != memtrace::kNoEvent;
    }));
    QCOMPARE((*trace)->statistics().at("mappings_of_other_memory"), std::size_t{1});
}

void CaptureTest::hostMemoryIsADeviceOfItsOwn()
{
    CaptureFile file;
    file.add(memory(1, MemoryOperation::Allocate, 0x1000, 64, MemoryKind::Pinned))
        .add(memory(2, MemoryOperation::Allocate, 0x2000, 64, MemoryKind::Managed))
        .add(memory(3, MemoryOperation::Allocate, 0x3000, 64, MemoryKind::Pageable));
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    QCOMPARE((*trace)->devices().size(), std::size_t{2});
    QCOMPARE((*trace)->devices().at(0).ordinal(), 0);
    QCOMPARE((*trace)->devices().at(1).ordinal(), -1);
    QCOMPARE((*trace)->statistics().at("memory_of_unknown_kind"), std::size_t{1});
}

void CaptureTest::callsAreStacks()
{
    wire::Memory allocated = memory(1, MemoryOperation::Allocate, 0x1000, 64);
    allocated.correlation = 5;
    wire::Call driver;
    driver.function = 243;
    driver.isDriver = 1;
    driver.correlation = 5;
    wire::Call runtime;
    runtime.function = 20;
    runtime.thread = 12;
    runtime.correlation = 5;
    CaptureFile file;
    file.add(driver).add(runtime).add(allocated);
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    const memtrace::StackTable& stacks = (*trace)->stacks();
    const auto frames =
        stacks.stack(memtrace::StackId{(*trace)->devices().at(0).allocations().stack[0]});
    QCOMPARE(frames.size(), std::size_t{1});
    QCOMPARE(stacks.text(stacks.frame(frames[0]).name), std::string_view{"cudaMalloc"});
    QCOMPARE(stacks.text(stacks.frame(frames[0]).detail), std::string_view{"thread 12"});
}

void CaptureTest::rangesAreAnnotations()
{
    CaptureFile file;
    file.addText(1, "step")
        .add(memory(1, MemoryOperation::Allocate, 0x1000, 64))
        .add(memory(20, MemoryOperation::Release, 0x1000, 64))
        .add(marker(9, 4, 4, 0))
        .add(marker(5, 4, 2, 1))
        .add(marker(3, 3, 4, 0)) // began before the recording
        .add(marker(4, 9, 1, 1));
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    QCOMPARE((*trace)->annotations().size(), std::size_t{1});
    QCOMPARE((*trace)->annotations().at(0).name, std::string{"step"});
    QCOMPARE((*trace)->annotations().at(0).begin.count(), std::int64_t{4});
    QCOMPARE((*trace)->annotations().at(0).end.count(), std::int64_t{8});
}

void CaptureTest::aClockOfItsOwnIsSetRight()
{
    wire::Clock clock;
    clock.cupti = 1'000;
    clock.realtime = kEpoch;
    wire::Memory allocated = memory(0, MemoryOperation::Allocate, 0x1000, 64);
    allocated.time = 1'500;
    CaptureFile file;
    file.add(clock).add(allocated);
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    QCOMPARE((*trace)->epochNs(), static_cast<std::int64_t>(kEpoch + 500));
}

void CaptureTest::tellsWhatIsMissing()
{
    wire::Status status;
    status.severity = wire::Severity::Warning;
    status.text = 1;
    CaptureFile file;
    file.addText(1, "CUPTI doesn't record kernels here.")
        .add(status)
        .add(wire::Drops{.byCupti = 2, .byRecorder = 1, .cutBuffers = 1})
        .add(memory(1, MemoryOperation::Allocate, 0x1000, 64));
    const auto trace = traceOf(file);
    QVERIFY2(trace, tests::messageOf(trace));
    const std::vector<std::string>& gaps = (*trace)->gaps();
    QCOMPARE(gaps.size(), std::size_t{5});
    QVERIFY(gaps[0].starts_with("Blocks are what the driver was asked for"));
    QCOMPARE(gaps[1], std::string{"CUPTI doesn't record kernels here."});
    QVERIFY(gaps[2].starts_with("3 records are missing"));
    QVERIFY(gaps[3].starts_with("1 buffer of CUPTI ended within a record"));
    QVERIFY(gaps[4].starts_with("The recording has no end"));
    QVERIFY(std::ranges::all_of(gaps, tests::isOneSentence));
}

/// A damaged part isn't taken for the end of the recording.
void CaptureTest::namesDamage()
{
    CaptureFile file;
    for (std::uint64_t i = 1; i <= 3; ++i)
        file.add(memory(i, MemoryOperation::Allocate, 0x1000 * i, 64)).seal();
    file.add(wire::End{}).seal();
    const std::size_t one = sizeof(wire::ChunkHead) + sizeof(wire::Memory);
    const auto gapsOf = [&](std::size_t spoiltAt, std::size_t size) {
        std::string bytes = file.bytes().substr(0, size);
        if (spoiltAt < size)
            bytes[spoiltAt] = static_cast<char>(bytes[spoiltAt] ^ 1);
        const tests::TempFolder folder;
        const auto read = readers::readProfile(io::Source{folder.fileWith("x.plmcap", bytes)});
        std::vector<std::string> gaps = read ? read->trace->gaps() : std::vector<std::string>{};
        if (read)
            gaps.push_back(std::to_string(read->trace->devices().at(0).allocations().size()));
        return gaps;
    };
    const std::size_t whole = file.bytes().size();
    const std::vector<std::string> sound = gapsOf(whole, whole);
    QCOMPARE(sound.size(), std::size_t{2});
    QCOMPARE(sound[1], std::string{"3"});
    const std::vector<std::string> damaged = gapsOf(sizeof(wire::FileHead) + one + 40, whole);
    QCOMPARE(damaged.size(), std::size_t{3});
    QVERIFY2(damaged[1].starts_with("The file is damaged at byte "
                                    + std::to_string(sizeof(wire::FileHead) + one) + ": 1 part "),
             damaged[1].c_str());
    QVERIFY(tests::isOneSentence(damaged[1]));
    QCOMPARE(damaged[2], std::string{"2"});
    // A file that is cut isn't damaged.
    const std::vector<std::string> cut = gapsOf(whole, sizeof(wire::FileHead) + 2 * one + 40);
    QCOMPARE(cut.size(), std::size_t{3});
    QVERIFY(cut[1].starts_with("The recording has no end: its program is still running"));
    QCOMPARE(cut[2], std::string{"2"});
    // Nothing else is left.
    std::string only =
        CaptureFile{}.add(memory(1, MemoryOperation::Allocate, 16, 64)).seal().bytes();
    only.back() = '!';
    const tests::TempFolder folder;
    const auto none = readers::readProfile(io::Source{folder.fileWith("x.plmcap", only)});
    QCOMPARE(tests::faultOfRefusal(none, {"x.plmcap", "is damaged at byte 16 (",
                                          "bytes can't be read), and the recording has no events"}),
             std::string{});
    // The end itself is damaged.
    const std::vector<std::string> end = gapsOf(whole - 1, whole);
    QCOMPARE(end.size(), std::size_t{3});
    QVERIFY2(end[1].ends_with(", up to the end of the recording."), end[1].c_str());
    QCOMPARE(end[2], std::string{"3"});
}

void CaptureTest::saysWhyThereIsNoMemory()
{
    CaptureFile empty;
    empty.add(wire::Process{});
    QCOMPARE(tests::faultOfRefusal(traceOf(empty), {"x.plmcap is a recording, but", "no events"}),
             std::string{});
    wire::Status status;
    status.severity = wire::Severity::Failure;
    status.text = 1;
    CaptureFile failed;
    failed.addText(1, "There is no driver.").add(status);
    QCOMPARE(tests::faultOfRefusal(traceOf(failed), {"x.plmcap: There is no driver."}),
             std::string{});
}

void CaptureTest::isRecognised()
{
    CaptureFile file;
    const readers::Registry registry{readers::profileReaders()};
    QCOMPARE(registry.sniff("x", file.seal().bytes())->id, std::string{"plimsoll-capture"});
    QCOMPARE(registry.sniff("x.plmcap", "")->id, std::string{"plimsoll-capture"});
}

} // namespace

PLIMSOLL_TEST(CaptureTest, tests::NoApplication)
#include "capture_test.moc"
