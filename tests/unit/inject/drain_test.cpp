// SPDX-License-Identifier: Apache-2.0
// Buffers of CUPTI's, laid out by its headers, through the recorder and back.
#include "app/inject/drain.h"

#include "app/inject/settings.h"
#include "core/capture/decode.h"

#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

using namespace plimsoll;
namespace wire = capture::wire;

namespace {

/// Bytes of the records in the buffer, by their kinds; what a version of CUPTI knows of itself.
std::map<int, std::size_t> sizes;

CUptiResult nextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record)
{
    std::uint8_t* at = buffer;
    if (*record != nullptr)
        at = reinterpret_cast<std::uint8_t*>(*record) + sizes.at((*record)->kind);
    if (at == buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    auto* const next = reinterpret_cast<CUpti_Activity*>(at);
    if (at + sizes.at(next->kind) > buffer + valid)
        return CUPTI_ERROR_INVALID_KIND;
    *record = next;
    return CUPTI_SUCCESS;
}

class Buffer
{
public:
    template <typename Activity>
    void add(const Activity& activity, std::size_t bytes = sizeof(Activity))
    {
        sizes[static_cast<int>(activity.kind)] = bytes;
        const std::size_t at = m_words.size() * sizeof(std::uint64_t);
        m_words.resize((at + bytes) / sizeof(std::uint64_t));
        std::memcpy(reinterpret_cast<std::uint8_t*>(m_words.data()) + at, &activity, bytes);
    }
    [[nodiscard]] inject::BufferPool::Filled filled(std::size_t lessBytes = 0)
    {
        return {reinterpret_cast<std::uint8_t*>(m_words.data()),
                m_words.size() * sizeof(std::uint64_t) - lessBytes};
    }

private:
    std::vector<std::uint64_t> m_words; ///< aligned as CUPTI's buffers are
};

struct Drained
{
    capture::Capture capture;
    bool whole = false;
};

Drained drained(const inject::BufferPool::Filled& filled)
{
    const tests::TempFolder folder;
    inject::Settings settings;
    settings.file = folder.file("x.plmcap");
    settings.mainPid = ::getpid();
    inject::ChunkFile file;
    if (file.open(settings) != 0)
        return {};
    inject::CuptiTable cupti;
    cupti.ActivityGetNextRecord = &nextRecord;
    inject::RecordSink sink{file};
    const bool whole = inject::drain(cupti, filled, sink);
    sink.seal();
    std::ifstream stream{settings.file, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
    return {capture::decode(bytes, "x").value_or(capture::Capture{}), whole};
}

CUpti_ActivityMemory4 memoryRecord()
{
    CUpti_ActivityMemory4 memory{};
    memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    memory.correlationId = 11;
    memory.address = 0x1000;
    memory.bytes = 64;
    memory.timestamp = 5;
    memory.deviceId = 1;
    memory.contextId = 2;
    memory.streamId = 3;
    memory.isAsync = 1;
    memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
    memory.memoryPoolConfig.address = 0x2000;
    memory.memoryPoolConfig.pool.size = 4096;
    memory.memoryPoolConfig.utilizedSize = 128;
    return memory;
}

CUpti_ActivityMemset4 fillRecord()
{
    CUpti_ActivityMemset4 fill{};
    fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    fill.bytes = 99;
    return fill;
}

class DrainTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { sizes.clear(); }
    void readsTheMemoryRecordOfEachVersion_data();
    void readsTheMemoryRecordOfEachVersion();
    void readsTheKernelRecordOfEachVersion_data();
    void readsTheKernelRecordOfEachVersion();
    void readsOtherKinds();
    void skipsKindsOfOtherClients();
    void saysThatABufferIsCut();
    void countsRecords();
};

void DrainTest::readsTheMemoryRecordOfEachVersion_data()
{
    QTest::addColumn<std::size_t>("bytes");
    QTest::newRow("CUDA 12.0") << sizeof(CUpti_ActivityMemory3);
    QTest::newRow("CUDA 13") << sizeof(CUpti_ActivityMemory4);
    QTest::newRow("a later one") << sizeof(CUpti_ActivityMemory4) + 24;
}

void DrainTest::readsTheMemoryRecordOfEachVersion()
{
    QFETCH(std::size_t, bytes);
    struct Longer
    {
        CUpti_ActivityMemory4 memory = memoryRecord();
        std::uint64_t more[3] = {};
        std::uint32_t kind = memory.kind;
    };
    Buffer buffer;
    buffer.add(Longer{}, bytes);
    sizes[CUPTI_ACTIVITY_KIND_MEMORY2] = bytes;
    buffer.add(fillRecord());
    const Drained all = drained(buffer.filled());
    QVERIFY(all.whole);
    const wire::Memory& memory = all.capture.memory.at(0);
    QCOMPARE(memory.operation, wire::MemoryOperation::Allocate);
    QCOMPARE(memory.kind, wire::MemoryKind::Device);
    QCOMPARE(memory.address, std::uint64_t{0x1000});
    QCOMPARE(memory.bytes, std::uint64_t{64});
    QCOMPARE(memory.time, std::uint64_t{5});
    QCOMPARE(memory.correlation, 11U);
    QCOMPARE(memory.device, 1U);
    QCOMPARE(memory.stream, 3U);
    QCOMPARE(memory.poolBytes, std::uint64_t{4096});
    QCOMPARE(memory.poolUsed, std::uint64_t{128});
    QCOMPARE(all.capture.fills.at(0).bytes, std::uint64_t{99});
}

void DrainTest::readsTheKernelRecordOfEachVersion_data()
{
    QTest::addColumn<std::size_t>("bytes");
    QTest::newRow("CUDA 12") << sizeof(CUpti_ActivityKernel9);
    QTest::newRow("CUDA 13.0") << sizeof(CUpti_ActivityKernel10);
}

void DrainTest::readsTheKernelRecordOfEachVersion()
{
    QFETCH(std::size_t, bytes);
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = 5;
    kernel.end = 8;
    kernel.streamId = 13;
    kernel.gridZ = 3;
    kernel.blockX = 256;
    kernel.graphNodeId = 21;
    kernel.name = "_Z4gemmv";
    Buffer buffer;
    buffer.add(kernel, bytes);
    buffer.add(kernel, bytes);
    const Drained all = drained(buffer.filled());
    QVERIFY(all.whole);
    QCOMPARE(all.capture.kernels.size(), std::size_t{2});
    const wire::Kernel& read = all.capture.kernels.at(1);
    QCOMPARE(read.end, std::uint64_t{8});
    QCOMPARE(read.stream, 13U);
    QCOMPARE(read.grid, (std::array<std::int32_t, 3>{0, 0, 3}));
    QCOMPARE(read.block, (std::array<std::int32_t, 3>{256, 0, 0}));
    QCOMPARE(read.graphNode, std::uint64_t{21});
    QCOMPARE(all.capture.text(read.name), std::string_view{"_Z4gemmv"});
    QCOMPARE(all.capture.texts.size(), std::size_t{2}); // the empty one and this one
}

void DrainTest::readsOtherKinds()
{
    CUpti_ActivityMemcpy5 copy{};
    copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    copy.bytes = 17;
    CUpti_ActivityMemcpyPtoP4 peer{};
    peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    peer.srcDeviceId = 1;
    peer.dstDeviceId = 2;
    CUpti_ActivityMemoryPool2 pool{};
    pool.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
    pool.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
    pool.size = 512;
    pool.minBytesToKeep = 31;
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
    call.cbid = CUPTI_DRIVER_TRACE_CBID_cuMemMap;
    call.threadId = 41;
    CUpti_ActivityMarker2 marker{};
    marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
    marker.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
    marker.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    marker.objectId.pt.threadId = 51;
    marker.name = "step";
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalId = 61;
    CUpti_ActivityContext context{};
    context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    context.nullStreamId = 7;
    CUpti_ActivityDevice5 device{};
    device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    device.name = "H200";
    device.computeCapabilityMajor = 9;
    Buffer buffer;
    buffer.add(copy);
    buffer.add(peer);
    buffer.add(pool);
    buffer.add(call);
    buffer.add(marker);
    buffer.add(external);
    buffer.add(context);
    buffer.add(device);
    const auto& [capture, whole] = drained(buffer.filled());
    QVERIFY(whole);
    QCOMPARE(capture.copies.at(0).bytes, std::uint64_t{17});
    QCOMPARE(capture.copies.at(0).to, wire::MemoryKind::Device);
    QCOMPARE(capture.copies.at(0).toDevice, wire::kNone);
    QCOMPARE(capture.copies.at(1).toDevice, 2U);
    QCOMPARE(capture.pools.at(0).operation, 3U);
    QCOMPARE(capture.pools.at(0).bytes, std::uint64_t{512});
    QCOMPARE(capture.pools.at(0).keptBytes, std::uint64_t{31});
    QCOMPARE(capture.calls.at(0).isDriver, 1U);
    QCOMPARE(capture.calls.at(0).function, 551U);
    QCOMPARE(capture.calls.at(0).thread, 41U);
    QCOMPARE(capture.markers.at(0).thread, 51U);
    QCOMPARE(capture.text(capture.markers.at(0).name), std::string_view{"step"});
    QCOMPARE(capture.externalIds.at(0).id, std::uint64_t{61});
    QCOMPARE(capture.contexts.at(0).nullStream, 7U);
    QCOMPARE(capture.text(capture.devices.at(0).name), std::string_view{"H200"});
    QCOMPARE(capture.devices.at(0).major, std::uint16_t{9});
}

void DrainTest::skipsKindsOfOtherClients()
{
    CUpti_ActivityOverhead3 overhead{};
    overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    Buffer buffer;
    buffer.add(overhead);
    buffer.add(fillRecord());
    const Drained all = drained(buffer.filled());
    QVERIFY(all.whole);
    QCOMPARE(all.capture.fills.size(), std::size_t{1});
}

void DrainTest::saysThatABufferIsCut()
{
    Buffer buffer;
    buffer.add(fillRecord());
    buffer.add(fillRecord());
    const Drained all = drained(buffer.filled(8));
    QVERIFY(!all.whole);
    QCOMPARE(all.capture.fills.size(), std::size_t{1});
    QVERIFY(drained(buffer.filled(2 * sizeof(CUpti_ActivityMemset4))).whole); // nothing in it
}

void DrainTest::countsRecords()
{
    Buffer buffer;
    for (int i = 0; i < 5; ++i)
        buffer.add(fillRecord());
    inject::CuptiTable cupti;
    cupti.ActivityGetNextRecord = &nextRecord;
    QCOMPARE(inject::countRecords(cupti, buffer.filled()), std::uint64_t{5});
    QCOMPARE(inject::countRecords(cupti, buffer.filled(8)), std::uint64_t{4});
}

} // namespace

PLIMSOLL_TEST(DrainTest, tests::NoApplication)
#include "drain_test.moc"
