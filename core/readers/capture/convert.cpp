// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture/convert.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/capture/decode.h"
#include "core/capture/in_time.h"
#include "core/readers/capture/call_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace plimsoll::readers::capture {

namespace {

namespace wire = plimsoll::capture::wire;
using base::Result;
using memtrace::Action;
using memtrace::RecordedEvent;
using plimsoll::capture::Capture;
using wire::MappingOperation;
using wire::MemoryKind;

constexpr int kHost = -1;
constexpr std::uint32_t kMostDevices = 1024; ///< of a process, by far

constexpr std::uint64_t kLatest = std::numeric_limits<std::int64_t>::max() / 4; ///< ns since 1970

/// The device that memory of a kind counts for; none if it is no memory that the driver gave.
std::optional<int> deviceOf(const wire::Memory& memory)
{
    switch (memory.kind) {
    case MemoryKind::Pinned: return kHost;
    case MemoryKind::Device:
    case MemoryKind::Array:
    case MemoryKind::Managed:
    case MemoryKind::DeviceStatic:
    case MemoryKind::ManagedStatic:
        return memory.device < kMostDevices ? std::optional{static_cast<int>(memory.device)}
                                            : std::nullopt;
    case MemoryKind::Unknown:
    case MemoryKind::Pageable: break;
    }
    return std::nullopt;
}

/// Replays a recording into the trace's builder.
class Conversion
{
public:
    Conversion(const Capture& capture, memtrace::Builder& builder)
        : m_builder{builder}, m_stacks{capture, builder}, m_offset{clockOffset(capture)}
    {
    }

    void operator()(const wire::Memory& memory)
    {
        const std::optional<int> device = deviceOf(memory);
        if (!device) {
            m_builder.count("memory_of_unknown_kind");
            return;
        }
        RecordedEvent event;
        event.address = memory.address;
        event.bytes = static_cast<std::int64_t>(memory.bytes);
        event.timeNs = timeOf(memory.time);
        event.stream = memory.stream == wire::kNone ? 0 : memory.stream;
        event.pool = {memory.pool, 0};
        event.stack = m_stacks.of(memory);
        if (memory.operation == wire::MemoryOperation::Allocate)
            reserve(*device, event, Action::SegmentAlloc);
        else
            release(*device, event, Action::SegmentFree);
    }

    void operator()(const wire::Mapping& mapping)
    {
        switch (mapping.operation) {
        case MappingOperation::Create: m_deviceOf[mapping.handle] = mapping.device; return;
        case MappingOperation::Map: map(mapping); return;
        case MappingOperation::Unmap: unmap(mapping); return;
        default: return; // addresses alone, and handles, hold nothing that a range doesn't
        }
    }

    [[nodiscard]] std::int64_t timeOf(std::uint64_t time) const
    {
        return static_cast<std::int64_t>(time) + m_offset;
    }

    /// What is still held when the recording ends.
    void finish()
    {
        for (const auto& [device, blocks] : m_held)
            for (const auto& [address, held] : blocks) {
                keep(m_builder.device(device).addSegment({.address = address,
                                                          .bytes = held.bytes,
                                                          .stream = held.stream,
                                                          .pool = held.pool,
                                                          .isLarge = true,
                                                          .isExpandable = held.isMapped,
                                                          .stack = held.stack}));
                keep(m_builder.device(device).addBlock(
                    {.address = address,
                     .bytes = held.bytes,
                     .requestedBytes = held.bytes,
                     .state = memtrace::RecordedBlock::State::Active,
                     .stack = held.stack}));
            }
    }

    [[nodiscard]] Result<void> result() { return std::move(m_result); }

private:
    struct Held
    {
        std::int64_t bytes = 0;
        std::uint64_t stream = 0;
        std::array<std::uint64_t, 2> pool{};
        memtrace::StackId stack;
        bool isMapped = false;
    };

    /// CUPTI's clock is the system's, unless a program gave it another.
    static std::int64_t clockOffset(const Capture& capture)
    {
        if (capture.clocks.empty() || capture.clocks.front().cupti == 0)
            return 0;
        const wire::Clock& clock = capture.clocks.front();
        const auto offset = static_cast<std::int64_t>(clock.realtime - clock.cupti);
        constexpr std::int64_t kReadTogether = 1'000'000'000;
        return std::abs(offset) < kReadTogether ? 0 : offset;
    }

    template <typename Value>
    void keep(const Result<Value>& added)
    {
        if (!added && m_result)
            m_result = tl::unexpected{added.error()};
    }

    void add(int device, RecordedEvent event, Action action)
    {
        event.action = action;
        keep(m_builder.device(device).add(event));
    }

    void reserve(int device, const RecordedEvent& event, Action action)
    {
        add(device, event, action);
        add(device, event, Action::Alloc);
        m_held[device][event.address] = {.bytes = event.bytes,
                                         .stream = event.stream,
                                         .pool = event.pool.value_or(Held{}.pool),
                                         .stack = event.stack,
                                         .isMapped = action == Action::SegmentMap};
    }

    /// A release doesn't always tell its bytes.
    void release(int device, RecordedEvent event, Action action)
    {
        auto& blocks = m_held[device];
        if (const auto held = blocks.find(event.address); held != blocks.end()) {
            event.bytes = held->second.bytes;
            event.stream = held->second.stream;
            event.pool = held->second.pool;
            blocks.erase(held);
        }
        add(device, event, Action::FreeRequested);
        add(device, event, Action::FreeCompleted);
        add(device, event, action);
    }

    [[nodiscard]] RecordedEvent eventOf(const wire::Mapping& mapping)
    {
        RecordedEvent event;
        event.address = mapping.address;
        event.bytes = static_cast<std::int64_t>(mapping.bytes);
        event.timeNs = timeOf(mapping.time);
        event.pool = std::array<std::uint64_t, 2>{};
        event.stack = m_stacks.of(mapping);
        return event;
    }

    void map(const wire::Mapping& mapping)
    {
        const auto created = m_deviceOf.find(mapping.handle);
        if (created == m_deviceOf.end() || created->second >= kMostDevices) {
            m_builder.count("mappings_of_other_memory"); // the host's, or another process's
            return;
        }
        const int device = static_cast<int>(created->second);
        m_mappedOn[mapping.address] = device;
        reserve(device, eventOf(mapping), Action::SegmentMap);
    }

    /// Ends all ranges that were mapped within.
    void unmap(const wire::Mapping& mapping)
    {
        auto mapped = m_mappedOn.lower_bound(mapping.address);
        while (mapped != m_mappedOn.end() && mapped->first - mapping.address < mapping.bytes) {
            RecordedEvent event = eventOf(mapping);
            event.address = mapped->first;
            release(mapped->second, event, Action::SegmentUnmap);
            mapped = m_mappedOn.erase(mapped);
        }
    }

    memtrace::Builder& m_builder;
    CallStacks m_stacks;
    std::int64_t m_offset;
    std::map<int, std::map<std::uint64_t, Held>> m_held;         ///< by device, by address
    std::unordered_map<std::uint64_t, std::uint32_t> m_deviceOf; ///< by handle
    std::map<std::uint64_t, int> m_mappedOn;                     ///< device by address
    Result<void> m_result;
};

/// NVTX's ranges. One that began before the recording has no name and no begin: it is left out.
void addRanges(const Capture& capture, const Conversion& conversion, memtrace::Builder& builder)
{
    constexpr std::uint32_t kStart = 2;
    constexpr std::uint32_t kEnd = 4;
    std::unordered_map<std::uint32_t, std::string_view> names;
    for (const wire::Marker* marker : plimsoll::capture::inTime(capture.markers)) {
        if ((marker->flags & kStart) != 0) {
            const std::string_view name = capture.text(marker->name);
            names[marker->id] = name;
            builder.beginRange(name, 0, conversion.timeOf(marker->time));
        } else if ((marker->flags & kEnd) != 0) {
            const auto name = names.find(marker->id);
            if (name == names.end())
                continue;
            builder.endRange(name->second, 0, conversion.timeOf(marker->time));
            names.erase(name);
        }
    }
}

void addGaps(const Capture& capture, memtrace::Builder& builder)
{
    builder.setOfDriver();
    for (const plimsoll::capture::Status& status : capture.statuses)
        if (status.severity != wire::Severity::Note && !status.text.empty())
            builder.addGap(status.text);
    if (const std::string damage = plimsoll::capture::damageText(capture.damage); !damage.empty())
        builder.addGap(damage);
    if (const std::uint64_t lost = capture.lostRecords(); lost > 0)
        builder.addGap(
            fmt::format("{} missing, because the recorder could not take {} in time.",
                        lost == 1 ? "One record is" : fmt::format("{} records are", lost),
                        lost == 1 ? "it" : "them"));
    if (capture.drops.cutBuffers > 0)
        builder.addGap(fmt::format("{} of CUPTI ended within a record, which is missing.",
                                   base::counted(capture.drops.cutBuffers, "buffer")));
    if (capture.wasKilled())
        builder.addGap("The recording has no end: its program is still running, or was ended "
                       "before it could write its last moments.");
}

void addSettings(const Capture& capture, memtrace::Builder& builder)
{
    builder.setSetting("command", std::string{capture.text(capture.process.command)});
    builder.setSetting("process", std::to_string(capture.process.pid));
    builder.setSetting("CUPTI", std::to_string(capture.process.cuptiVersion));
    for (const wire::Device& device : capture.devices)
        builder.setSetting(fmt::format("device {}", device.device),
                           std::string{capture.text(device.name)});
    builder.setSetting("kernels", std::to_string(capture.kernels.size()));
    builder.setSetting("copies", std::to_string(capture.copies.size()));
    builder.count("lost_records", capture.lostRecords());
    builder.count("left_over_bytes", capture.leftOver);
    builder.count("records_of_later_versions", capture.unknownRecords);
}

} // namespace

Result<void> convert(const Capture& capture, memtrace::Builder& builder)
{
    Conversion conversion{capture, builder};
    plimsoll::capture::visitMemory(capture, conversion);
    conversion.finish();
    addRanges(capture, conversion, builder);
    addSettings(capture, builder);
    addGaps(capture, builder);
    // The recorder writes the time whenever it writes what it has, also if that is nothing.
    if (!capture.clocks.empty())
        builder.extendTo(
            static_cast<std::int64_t>(std::min(capture.clocks.back().realtime, kLatest)));
    return conversion.result();
}

} // namespace plimsoll::readers::capture
