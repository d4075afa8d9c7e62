// SPDX-License-Identifier: Apache-2.0
#include "app/inject/drain.h"

#include "core/capture/wire_activity.h"

#include <algorithm>
#include <iterator>

namespace plimsoll::inject {

namespace {

namespace wire = capture::wire;

wire::MemoryKind kindOf(std::uint32_t kind)
{
    return static_cast<wire::MemoryKind>(kind);
}

void addMemory(const CUpti_ActivityMemory3& from, RecordSink& sink)
{
    wire::Memory to;
    to.operation = static_cast<wire::MemoryOperation>(from.memoryOperationType);
    to.kind = kindOf(from.memoryKind);
    to.isAsync = from.isAsync != 0 ? 1 : 0;
    to.correlation = from.correlationId;
    to.address = from.address;
    to.bytes = from.bytes;
    to.time = from.timestamp;
    to.counter = from.PC;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.name = sink.text(from.name);
    to.poolType = static_cast<std::uint8_t>(from.memoryPoolConfig.memoryPoolType);
    if (to.poolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID) {
        to.pool = from.memoryPoolConfig.address;
        to.poolThreshold = from.memoryPoolConfig.releaseThreshold;
        if (to.poolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) {
            to.poolBytes = from.memoryPoolConfig.pool.size;
            to.poolUsed = from.memoryPoolConfig.utilizedSize;
        }
    }
    sink.add(to);
}

void addPool(const CUpti_ActivityMemoryPool2& from, RecordSink& sink)
{
    wire::Pool to;
    to.operation = from.memoryPoolOperationType;
    to.poolType = from.memoryPoolType;
    to.correlation = from.correlationId;
    to.device = from.deviceId;
    to.address = from.address;
    to.bytes = from.size;
    to.used = from.utilizedSize;
    to.threshold = from.releaseThreshold;
    to.keptBytes = from.minBytesToKeep;
    to.time = from.timestamp;
    sink.add(to);
}

void addKernel(const CUpti_ActivityKernel9& from, RecordSink& sink)
{
    wire::Kernel to;
    to.start = from.start;
    to.end = from.end;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.correlation = from.correlationId;
    to.name = sink.text(from.name);
    to.graph = from.graphId;
    to.graphNode = from.graphNodeId;
    to.grid = {from.gridX, from.gridY, from.gridZ};
    to.block = {from.blockX, from.blockY, from.blockZ};
    to.staticShared = from.staticSharedMemory;
    to.dynamicShared = from.dynamicSharedMemory;
    to.localBytes = from.localMemoryPerThread;
    to.registers = from.registersPerThread;
    sink.add(to);
}

/// What copies within a device and between two have in common.
template <typename Activity>
wire::Copy copyOf(const Activity& from)
{
    wire::Copy to;
    to.copyKind = from.copyKind;
    to.from = kindOf(from.srcKind);
    to.to = kindOf(from.dstKind);
    to.flags = from.flags;
    to.correlation = from.correlationId;
    to.bytes = from.bytes;
    to.start = from.start;
    to.end = from.end;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.graph = from.graphId;
    return to;
}

void addPeerCopy(const CUpti_ActivityMemcpyPtoP4& from, RecordSink& sink)
{
    wire::Copy to = copyOf(from);
    to.fromDevice = from.srcDeviceId;
    to.toDevice = from.dstDeviceId;
    sink.add(to);
}

void addFill(const CUpti_ActivityMemset4& from, RecordSink& sink)
{
    wire::Fill to;
    to.bytes = from.bytes;
    to.start = from.start;
    to.end = from.end;
    to.device = from.deviceId;
    to.context = from.contextId;
    to.stream = from.streamId;
    to.correlation = from.correlationId;
    to.kind = from.memoryKind;
    to.graph = from.graphId;
    sink.add(to);
}

void addCall(const CUpti_ActivityAPI& from, RecordSink& sink)
{
    wire::Call to;
    to.function = from.cbid;
    to.isDriver = from.kind == CUPTI_ACTIVITY_KIND_DRIVER ? 1 : 0;
    to.start = from.start;
    to.end = from.end;
    to.thread = from.threadId;
    to.correlation = from.correlationId;
    to.status = from.returnValue;
    sink.add(to);
}

void addMarker(const CUpti_ActivityMarker2& from, RecordSink& sink)
{
    wire::Marker to;
    to.time = from.timestamp;
    to.id = from.id;
    to.flags = static_cast<std::uint32_t>(from.flags);
    to.name = sink.text(from.name);
    to.domain = sink.text(from.domain);
    to.thread = from.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? from.objectId.pt.threadId : 0;
    sink.add(to);
}

void addExternalId(const CUpti_ActivityExternalCorrelation& from, RecordSink& sink)
{
    wire::ExternalId to;
    to.id = from.externalId;
    to.kind = from.externalKind;
    to.correlation = from.correlationId;
    sink.add(to);
}

void addContext(const CUpti_ActivityContext& from, RecordSink& sink)
{
    wire::Context to;
    to.context = from.contextId;
    to.device = from.deviceId;
    to.nullStream = from.nullStreamId;
    sink.add(to);
}

void addDevice(const CUpti_ActivityDevice5& from, RecordSink& sink)
{
    wire::Device to;
    to.device = from.id;
    to.name = sink.text(from.name);
    to.memory = from.globalMemorySize;
    std::copy(std::begin(from.uuid.bytes), std::end(from.uuid.bytes), to.uuid.begin());
    to.major = static_cast<std::uint16_t>(from.computeCapabilityMajor);
    to.minor = static_cast<std::uint16_t>(from.computeCapabilityMinor);
    sink.add(to);
}

/// As the struct of a kind; CUPTI aligns records to 8 bytes.
template <typename Activity>
const Activity& as(const CUpti_Activity& record)
{
    return *reinterpret_cast<const Activity*>(&record);
}

void addRecord(const CUpti_Activity& record, RecordSink& sink)
{
    switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_MEMORY2: addMemory(as<CUpti_ActivityMemory3>(record), sink); break;
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
        addPool(as<CUpti_ActivityMemoryPool2>(record), sink);
        break;
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        addKernel(as<CUpti_ActivityKernel9>(record), sink);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: sink.add(copyOf(as<CUpti_ActivityMemcpy5>(record))); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        addPeerCopy(as<CUpti_ActivityMemcpyPtoP4>(record), sink);
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET: addFill(as<CUpti_ActivityMemset4>(record), sink); break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: addCall(as<CUpti_ActivityAPI>(record), sink); break;
    case CUPTI_ACTIVITY_KIND_MARKER: addMarker(as<CUpti_ActivityMarker2>(record), sink); break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        addExternalId(as<CUpti_ActivityExternalCorrelation>(record), sink);
        break;
    case CUPTI_ACTIVITY_KIND_CONTEXT: addContext(as<CUpti_ActivityContext>(record), sink); break;
    case CUPTI_ACTIVITY_KIND_DEVICE: addDevice(as<CUpti_ActivityDevice5>(record), sink); break;
    default: break; // of another client's kinds
    }
}

} // namespace

bool drain(const CuptiTable& cupti, const BufferPool::Filled& buffer, RecordSink& sink)
{
    CUpti_Activity* record = nullptr;
    CUptiResult result = CUPTI_SUCCESS;
    while ((result = cupti.ActivityGetNextRecord(buffer.bytes, buffer.valid, &record))
           == CUPTI_SUCCESS)
        addRecord(*record, sink);
    return result == CUPTI_ERROR_MAX_LIMIT_REACHED;
}

std::uint64_t countRecords(const CuptiTable& cupti, const BufferPool::Filled& buffer)
{
    std::uint64_t count = 0;
    CUpti_Activity* record = nullptr;
    while (cupti.ActivityGetNextRecord(buffer.bytes, buffer.valid, &record) == CUPTI_SUCCESS)
        ++count;
    return count;
}

} // namespace plimsoll::inject
