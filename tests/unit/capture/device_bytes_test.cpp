// SPDX-License-Identifier: Apache-2.0
#include "core/capture/device_bytes.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <vector>

using namespace plimsoll;
using capture::Capture;
using capture::DeviceBytes;
using capture::wire::MappingOperation;
using capture::wire::MemoryKind;
using capture::wire::MemoryOperation;
namespace wire = capture::wire;

namespace {

wire::Memory memory(std::uint64_t time, MemoryOperation operation, std::uint64_t address,
                    std::uint64_t bytes, std::uint32_t device = 0,
                    MemoryKind kind = MemoryKind::Device)
{
    wire::Memory record;
    record.time = time;
    record.operation = operation;
    record.kind = kind;
    record.address = address;
    record.bytes = bytes;
    record.device = device;
    return record;
}

wire::Mapping mapping(std::uint64_t time, MappingOperation operation, std::uint64_t address,
                      std::uint64_t bytes, std::uint64_t handle = 0,
                      std::uint32_t device = wire::kNone)
{
    wire::Mapping record;
    record.time = time;
    record.operation = operation;
    record.address = address;
    record.bytes = bytes;
    record.handle = handle;
    record.device = device;
    return record;
}

constexpr auto kAllocate = MemoryOperation::Allocate;
constexpr auto kRelease = MemoryOperation::Release;

class DeviceBytesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void followsTimeAndNotTheFile();
    void keepsTheFilesOrderWithinAnInstant();
    void toldApartByDevice();
    void countsDeviceMemoryOnly();
    void countsReleasesOfWhatIsNotThere();
    void createdMemoryIsHeldUntilItsLastUse();
    void unmapsSeveralAtOnce();
    void mergesAllocationsAndMappings();
};

void DeviceBytesTest::followsTimeAndNotTheFile()
{
    Capture capture;
    capture.memory = {memory(30, kRelease, 1, 8), memory(20, kAllocate, 2, 4),
                      memory(10, kAllocate, 1, 8)};
    const std::vector<DeviceBytes> devices = capture::deviceBytes(capture);
    QCOMPARE(devices.size(), std::size_t{1});
    QCOMPARE(devices[0].peak, std::uint64_t{12});
    QCOMPARE(devices[0].last, std::uint64_t{4});
    QCOMPARE(devices[0].allocations, std::uint64_t{2});
    QCOMPARE(devices[0].releases, std::uint64_t{1});
    QCOMPARE(devices[0].unmatched, std::uint64_t{0});
}

void DeviceBytesTest::keepsTheFilesOrderWithinAnInstant()
{
    Capture capture;
    capture.memory = {memory(10, kAllocate, 1, 8), memory(10, kRelease, 1, 8),
                      memory(10, kAllocate, 1, 6)};
    const DeviceBytes device = capture::deviceBytes(capture).at(0);
    QCOMPARE(device.peak, std::uint64_t{8});
    QCOMPARE(device.last, std::uint64_t{6});
}

void DeviceBytesTest::toldApartByDevice()
{
    Capture capture;
    capture.memory = {memory(1, kAllocate, 1, 8, 1), memory(2, kAllocate, 2, 4, 0)};
    const std::vector<DeviceBytes> devices = capture::deviceBytes(capture);
    QCOMPARE(devices.size(), std::size_t{2});
    QCOMPARE(devices[0].device, 0U);
    QCOMPARE(devices[0].peak, std::uint64_t{4});
    QCOMPARE(devices[1].peak, std::uint64_t{8});
}

void DeviceBytesTest::countsDeviceMemoryOnly()
{
    Capture capture;
    capture.memory = {memory(1, kAllocate, 1, 8, 0, MemoryKind::Pinned),
                      memory(2, kAllocate, 2, 4, 0, MemoryKind::Array)};
    QCOMPARE(capture::deviceBytes(capture).at(0).peak, std::uint64_t{4});
}

void DeviceBytesTest::countsReleasesOfWhatIsNotThere()
{
    Capture capture;
    capture.memory = {memory(1, kRelease, 1, 8), memory(2, kAllocate, 2, 4)};
    const DeviceBytes device = capture::deviceBytes(capture).at(0);
    QCOMPARE(device.unmatched, std::uint64_t{1});
    QCOMPARE(device.last, std::uint64_t{4});
}

void DeviceBytesTest::createdMemoryIsHeldUntilItsLastUse()
{
    Capture capture;
    capture.mappings = {mapping(1, MappingOperation::Reserve, 0x1000, 100),
                        mapping(2, MappingOperation::Create, 0, 10, 7, 0),
                        mapping(3, MappingOperation::Map, 0x1000, 10, 7),
                        mapping(4, MappingOperation::Release, 0, 0, 7)};
    QCOMPARE(capture::deviceBytes(capture).at(0).last, std::uint64_t{10});
    capture.mappings.push_back(mapping(5, MappingOperation::Unmap, 0x1000, 10));
    QCOMPARE(capture::deviceBytes(capture).at(0).last, std::uint64_t{0});
    QCOMPARE(capture::deviceBytes(capture).at(0).peak, std::uint64_t{10});
}

void DeviceBytesTest::unmapsSeveralAtOnce()
{
    Capture capture;
    for (std::uint64_t i = 0; i < 3; ++i) {
        capture.mappings.push_back(mapping(1, MappingOperation::Create, 0, 10, 7 + i, 1));
        capture.mappings.push_back(mapping(2, MappingOperation::Map, 0x1000 + 10 * i, 10, 7 + i));
        capture.mappings.push_back(mapping(3, MappingOperation::Release, 0, 0, 7 + i));
    }
    capture.mappings.push_back(mapping(4, MappingOperation::Unmap, 0x1000, 20));
    const DeviceBytes device = capture::deviceBytes(capture).at(0);
    QCOMPARE(device.device, 1U);
    QCOMPARE(device.last, std::uint64_t{10});
    QCOMPARE(device.releases, std::uint64_t{2});
}

void DeviceBytesTest::mergesAllocationsAndMappings()
{
    Capture capture;
    capture.memory = {memory(1, kAllocate, 1, 5), memory(3, kRelease, 1, 5)};
    capture.mappings = {mapping(2, MappingOperation::Create, 0, 10, 7, 0),
                        mapping(4, MappingOperation::Create, 0, 3, 8, 0),
                        // of the host
                        mapping(5, MappingOperation::Create, 0, 100, 9)};
    QCOMPARE(capture::deviceBytes(capture).at(0).peak, std::uint64_t{15});
    QCOMPARE(capture::deviceBytes(capture).at(0).last, std::uint64_t{13});
}

} // namespace

PLIMSOLL_TEST(DeviceBytesTest, tests::NoApplication)
#include "device_bytes_test.moc"
