// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/columns/column_file.h"

#include "core/base/try.h"
#include "core/memtrace/columns/column_check.h"
#include "core/memtrace/columns/column_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace plimsoll::memtrace {

namespace {

constexpr std::string_view kMagic = "PLMTRACE";
constexpr std::uint64_t kVersion = 4;
constexpr std::uint64_t kFirstWithReservedTotals = 2;
constexpr std::uint64_t kFirstWithForeign = 3;
constexpr std::uint64_t kFirstWithDriver = 4;

// Each value is described once; Writer and Reader take it in the same order.

template <typename Codec, typename Place>
void code(Codec& codec, Place& place, const memtrace::Place* /*tag*/)
{
    codec(place.stream);
    codec(place.pool[0]);
    codec(place.pool[1]);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& segment, const Segment* /*tag*/)
{
    codec(segment.address);
    codec(segment.bytes);
    codec(segment.begin);
    codec(segment.end);
    codec(segment.stack);
    codec(segment.place);
    codec(segment.isLarge);
    codec(segment.isExpandable);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& block, const EndBlock* /*tag*/)
{
    codec(block.address);
    codec(block.bytes);
    codec(block.allocation);
    codec(block.isPending);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& failed, const OutOfMemory* /*tag*/)
{
    codec(failed.event);
    codec(failed.askedBytes);
    codec(failed.deviceFreeBytes);
    codec(failed.stack);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& text, const EventText* /*tag*/)
{
    codec(text.event);
    codec(text.text);
    codec(text.kind);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& pending, const PendingFree* /*tag*/)
{
    codec(pending.allocation);
    codec(pending.requested);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& point, const StepCurve::Point* /*tag*/)
{
    codec(point.step);
    codec(point.bytes);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& frame, const Frame* /*tag*/)
{
    codec(frame.file);
    codec(frame.name);
    codec(frame.line);
    codec(frame.detail);
}

template <typename Codec, typename Value>
void code(Codec& codec, Value& annotation, const Annotation* /*tag*/)
{
    codec(annotation.name);
    codec(annotation.device);
    codec(annotation.begin);
    codec(annotation.end);
    codec(annotation.depth);
}

/// All elements; their number first.
template <typename Value>
void each(ColumnWriter& codec, const std::vector<Value>& values)
{
    codec(values.size());
    for (const Value& value : values)
        code(codec, value, static_cast<const Value*>(nullptr));
}

template <typename Value>
void each(ColumnReader& codec, std::vector<Value>& values)
{
    values.resize(codec.count());
    for (Value& value : values)
        code(codec, value, static_cast<const Value*>(nullptr));
}

void each(ColumnWriter& codec, const std::vector<std::string>& values)
{
    codec(values.size());
    for (const std::string& value : values)
        codec(value);
}

void each(ColumnReader& codec, std::vector<std::string>& values)
{
    values.resize(codec.count());
    for (std::string& value : values)
        codec(value);
}

template <typename Codec, typename Columns>
void codeAllocations(Codec& codec, Columns& columns)
{
    codec.column(columns.address);
    codec.column(columns.bytes);
    codec.column(columns.allocEvent);
    codec.column(columns.freeEvent);
    codec.column(columns.stack);
    codec.column(columns.freeStack);
    codec.column(columns.place);
}

template <typename Codec, typename Columns>
void codeDevice(Codec& codec, Columns& columns)
{
    codec(columns.ordinal);
    codec(columns.hasEnd);
    codec.column(columns.actions);
    codec.column(columns.subjects);
    codec.column(columns.foldedBefore);
    codeAllocations(codec, columns.allocations);
    each(codec, columns.pendingFrees);
    each(codec, columns.places);
    each(codec, columns.segments);
    each(codec, columns.endBlocks);
    each(codec, columns.outOfMemory);
    each(codec, columns.texts);
}

template <typename Codec, typename Columns>
void codeTimes(Codec& codec, Columns& columns)
{
    codec.column(columns.first);
    codec.column(columns.behind);
    codec.column(columns.exact);
}

template <typename Codec, typename Tables>
void codeTables(Codec& codec, Tables& tables)
{
    each(codec, tables.texts);
    each(codec, tables.frames);
    codec.list(tables.stackFrames);
    codec.list(tables.stackBegins);
}

template <typename Count>
void writeMap(ColumnWriter& codec, const std::map<std::string, Count>& map)
{
    codec(map.size());
    for (const auto& [name, value] : map) {
        codec(name);
        codec(value);
    }
}

template <typename Value>
std::map<std::string, Value> readMap(ColumnReader& codec)
{
    std::map<std::string, Value> map;
    for (std::size_t left = codec.count(); left > 0 && !codec.hasFailed(); --left) {
        std::string name;
        codec(name);
        codec(map[name]);
    }
    return map;
}

base::Result<DeviceTrace> readDevice(ColumnReader& codec, std::uint64_t version,
                                     const StackTable& stacks)
{
    DeviceColumns columns;
    codeDevice(codec, columns);
    timeline::Times::Columns times;
    codeTimes(codec, times);
    if (version >= kFirstWithReservedTotals)
        each(codec, columns.reservedTotals);
    if (version >= kFirstWithForeign)
        each(codec, columns.foreign);
    if (codec.hasFailed())
        return codec.failure();
    std::optional<timeline::Times> read = timeline::Times::fromColumns(std::move(times));
    if (!read)
        return codec.failure("the times of events are wrong");
    columns.times = *std::move(read);
    if (const std::string_view fault = columnFault(columns, stacks); !fault.empty())
        return codec.failure(fault);
    return DeviceTrace{std::move(columns)};
}

} // namespace

std::string writeColumns(const MemoryTrace& trace)
{
    ColumnWriter codec;
    codec.raw(kMagic);
    codec(kVersion);
    codec(trace.hasTimes());
    codec(trace.epochNs());
    codec(trace.duration());
    const StackTable::Tables tables = trace.stacks().tables();
    codeTables(codec, tables);
    each(codec, trace.annotations());
    writeMap(codec, trace.settings());
    writeMap(codec, trace.statistics());
    each(codec, trace.gaps());
    codec(trace.isOfDriver());
    codec(trace.devices().size());
    for (const DeviceTrace& device : trace.devices()) {
        codeDevice(codec, device.columns());
        const timeline::Times::Columns times = device.axisTimes().columns();
        codeTimes(codec, times);
        each(codec, device.columns().reservedTotals);
        each(codec, device.columns().foreign);
    }
    return std::move(codec).take();
}

base::Result<MemoryTracePtr> readColumns(std::shared_ptr<const std::string> bytes)
{
    ColumnReader codec{std::move(bytes)};
    if (!codec.skip(kMagic))
        return codec.failure("this is not a memory trace");
    std::uint64_t version = 0;
    codec(version);
    if (version < 1 || version > kVersion)
        return codec.failure(fmt::format(
            "version {} of memory traces is unknown; a newer Plimsoll wrote it", version));
    TraceParts parts;
    codec(parts.hasTimes);
    codec(parts.epochNs);
    codec(parts.duration);
    StackTable::Tables tables;
    codeTables(codec, tables);
    if (codec.hasFailed())
        return codec.failure();
    std::optional<StackTable> stacks = StackTable::fromTables(std::move(tables));
    if (!stacks)
        return codec.failure("the stacks are wrong");
    parts.stacks = *std::move(stacks);
    each(codec, parts.annotations);
    parts.settings = readMap<std::string>(codec);
    parts.statistics = readMap<std::size_t>(codec);
    each(codec, parts.gaps);
    if (version >= kFirstWithDriver)
        codec(parts.isOfDriver);
    else
        parts.isOfDriver = std::ranges::count(parts.gaps, kDriverBlocks) > 0;
    for (std::size_t left = codec.count(); left > 0; --left) {
        ASSIGN_OR_RETURN(DeviceTrace device, readDevice(codec, version, parts.stacks));
        parts.devices.push_back(std::move(device));
    }
    if (codec.hasFailed() || parts.devices.empty() || !codec.isAtEnd())
        return codec.failure();
    return std::make_shared<const MemoryTrace>(std::move(parts));
}

} // namespace plimsoll::memtrace
