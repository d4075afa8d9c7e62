// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/base/try.h"
#include "core/readers/kineto/collected.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace plimsoll::readers::kineto {

namespace {

using base::Result;
using memtrace::Action;

/// Indices of memory events.
using Order = std::vector<std::uint32_t>;

/// Names memory whose address wasn't recorded: each free ends the newest allocation of its size.
class NamesBySize
{
public:
    [[nodiscard]] std::uint64_t allocated(std::int64_t bytes)
    {
        m_live[bytes].push_back(m_next);
        return m_next++;
    }
    [[nodiscard]] std::uint64_t freed(std::int64_t bytes)
    {
        std::vector<std::uint64_t>& live = m_live[bytes];
        if (live.empty())
            return m_next++;
        const std::uint64_t name = live.back();
        live.pop_back();
        return name;
    }

private:
    std::unordered_map<std::int64_t, std::vector<std::uint64_t>> m_live;
    std::uint64_t m_next = memtrace::kNamesInsteadOfAddresses;
};

/// Checks the events' bytes against the totals that PyTorch noted with them.
class Totals
{
public:
    /// `change`: of the live bytes by an event; `total`: after it.
    void take(std::int64_t change, std::int64_t total)
    {
        m_live += change;
        if (total == MemoryEvent::kUnknown)
            return;
        if (!m_initial)
            m_initial = total - m_live;
        else if (*m_initial + m_live != total)
            ++m_unexplained;
        m_live = total - *m_initial;
    }
    /// Live before the first event; nothing if no event has a total.
    [[nodiscard]] std::optional<std::int64_t> initial() const { return m_initial; }
    /// Events whose total doesn't follow from the one before.
    [[nodiscard]] std::size_t unexplained() const { return m_unexplained; }

private:
    std::int64_t m_live = 0; ///< since the first event
    std::optional<std::int64_t> m_initial;
    std::size_t m_unexplained = 0;
};

/// Hands one device's events to the builder.
class DeviceEvents
{
public:
    DeviceEvents(Collected& collected, int device)
        : m_collected{collected}, m_device{collected.builder.device(device)}, m_ordinal{device}
    {
    }

    Result<void> add(const MemoryEvent& event)
    {
        memtrace::RecordedEvent recorded;
        recorded.timeNs = m_collected.baseNs + event.time;
        recorded.stack = memtrace::StackId{event.stack};
        const std::int64_t bytes = event.bytes;
        if (bytes == std::numeric_limits<std::int64_t>::min() || (event.isFailure && bytes < 0)
            || (bytes == 0 && !event.isFailure)) {
            m_collected.builder.count("values_out_of_range");
            return {};
        }
        recorded.bytes = std::abs(bytes);
        if (event.isFailure) {
            recorded.action = Action::OutOfMemory;
            recorded.deviceFreeBytes = MemoryEvent::kUnknown;
        } else {
            recorded.action = bytes > 0 ? Action::Alloc : Action::FreeCompleted;
            recorded.address = addressOf(event, recorded.bytes);
        }
        if (const auto added = m_device.add(recorded); !added)
            return base::failure(added.error().kind,
                                 fmt::format("has an event of GPU {} that can't be: {}", m_ordinal,
                                             added.error().message));
        if (!event.isFailure)
            m_totals.take(bytes, event.allocated);
        if (event.reserved != MemoryEvent::kUnknown)
            m_device.setReserved(base::Bytes{event.reserved});
        m_hasReserved = m_hasReserved || event.reserved != MemoryEvent::kUnknown;
        return {};
    }

    Result<void> finish()
    {
        memtrace::Builder& builder = m_collected.builder;
        builder.count("totals_that_differ", m_totals.unexplained());
        const std::int64_t known = m_device.beforeBytes().count();
        const std::int64_t before = m_totals.initial().value_or(known);
        if (before < known)
            builder.count("totals_below_events");
        if (before > known) {
            memtrace::RecordedEvent memory;
            memory.address = std::uint64_t{0} - (std::uint64_t{1} << 51U); // a name of its own
            memory.bytes = before - known;
            RETURN_IF_ERROR(m_device.addBefore(memory));
            builder.addGap(fmt::format(
                "GPU {}: {} were live before the recording and to its end; their addresses and "
                "stacks were not recorded.",
                m_ordinal, base::bytesText(base::Bytes{before - known})));
        }
        if (m_totals.unexplained() > 0)
            builder.addGap(
                fmt::format("GPU {}: {} not follow from the events: some are missing, "
                            "and the curve is off by what they held.",
                            m_ordinal,
                            m_totals.unexplained() == 1
                                ? "one recorded total does"
                                : fmt::format("{} recorded totals do", m_totals.unexplained())));
        return {};
    }

    [[nodiscard]] bool hasReserved() const { return m_hasReserved; }
    [[nodiscard]] bool lacksAddresses() const { return m_lacksAddresses; }

private:
    std::uint64_t addressOf(const MemoryEvent& event, std::int64_t bytes)
    {
        if (event.hasAddress)
            return event.address;
        m_lacksAddresses = true;
        return event.bytes > 0 ? m_names.allocated(bytes) : m_names.freed(bytes);
    }

    Collected& m_collected;
    memtrace::DeviceBuilder& m_device;
    int m_ordinal;
    NamesBySize m_names;
    Totals m_totals;
    bool m_hasReserved = false;
    bool m_lacksAddresses = false;
};

template <typename Before>
Order sortedMemory(const std::vector<MemoryEvent>& memory, Before before)
{
    Order order(memory.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return before(memory[a], memory[b]);
    });
    return order;
}

/// Finds out what each event's thread was doing.
void addStacks(Collected& collected)
{
    sortSpans(collected.spans);
    SpanStacks stacks{collected.spans, collected.names, collected.builder.stacks()};
    const Order order =
        sortedMemory(collected.memory, [](const MemoryEvent& a, const MemoryEvent& b) {
            return std::pair{a.thread, a.time} < std::pair{b.thread, b.time};
        });
    for (const std::uint32_t index : order) {
        MemoryEvent& event = collected.memory[index];
        event.stack = static_cast<std::uint32_t>(stacks.stackAt(event.thread, event.time).index());
    }
    collected.builder.count("stacks_of_too_many_frames", stacks.cutStacks());
    if (collected.spans.empty())
        collected.builder.addGap("What the program did was not recorded: allocations have no "
                                 "stacks.");
    else if (!stacks.hasPython())
        collected.builder.addGap(
            "Stacks name operators; with_stack=True records the functions of Python, too.");
}

/// Adds all devices, which it returns.
Result<std::vector<int>> addEvents(Collected& collected, const base::JobContext& context)
{
    constexpr std::size_t kStride = std::size_t{1} << 14U;
    const Order order =
        sortedMemory(collected.memory, [](const MemoryEvent& a, const MemoryEvent& b) {
            return std::pair{a.device, a.time} < std::pair{b.device, b.time};
        });
    std::vector<int> devices;
    std::optional<DeviceEvents> events;
    bool hasReserved = false;
    bool lacksAddresses = false;
    for (std::size_t i = 0; i <= order.size(); ++i) {
        const bool isEnd = i == order.size();
        if (isEnd || devices.empty() || devices.back() != collected.memory[order[i]].device) {
            if (events) {
                RETURN_IF_ERROR(events->finish());
                hasReserved = hasReserved || events->hasReserved();
                lacksAddresses = lacksAddresses || events->lacksAddresses();
            }
            if (isEnd)
                break;
            devices.push_back(collected.memory[order[i]].device);
            events.emplace(collected, devices.back());
        }
        RETURN_IF_ERROR(events->add(collected.memory[order[i]]));
        if (i % kStride != 0)
            continue;
        if (context.stopRequested())
            return base::cancelled();
        context.report(i, order.size());
    }
    collected.builder.addGap(
        hasReserved ? "Of what PyTorch had reserved only the total was recorded: the address map "
                      "shows no segments."
                    : "What PyTorch had reserved was not recorded.");
    if (lacksAddresses)
        collected.builder.addGap("Addresses were not recorded: each free is taken to end the "
                                 "newest allocation of its size.");
    return devices;
}

/// The program's ranges are those of all of its devices.
void addRanges(Collected& collected, const std::vector<int>& devices)
{
    constexpr std::size_t kMostRepeated = 500'000; // on devices after the first
    std::vector<NamedRange>& ranges = collected.ranges;
    std::stable_sort(ranges.begin(), ranges.end(), [](const NamedRange& a, const NamedRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::size_t repeated = 0;
    for (const int device : devices)
        for (const NamedRange& range : ranges) {
            if (range.device.value_or(static_cast<std::int16_t>(device)) != device)
                continue;
            if (device != devices.front() && ++repeated > kMostRepeated)
                continue;
            collected.builder.addRange(collected.names[range.name], device,
                                       collected.baseNs + range.begin,
                                       collected.baseNs + range.end);
        }
    if (repeated > kMostRepeated)
        collected.builder.count("ranges_left_out", repeated - kMostRepeated);
}

std::string nothingToShow(const Collected& collected)
{
    const std::string faults = collected.builder.countedText();
    if (collected.cpuEvents == 0 && !faults.empty())
        return "has no memory events that can be read, copy or record it again" + faults;
    if (collected.cpuEvents == 0)
        return "has no memory events; record it with profile(profile_memory=True)";
    return fmt::format("has memory events of the CPU alone ({}); profile a program that uses a GPU",
                       collected.cpuEvents);
}

} // namespace

Result<memtrace::MemoryTracePtr> traceOf(Collected&& collected, const base::JobContext& context)
{
    if (collected.memory.empty())
        return base::failure(base::ErrorKind::File, nothingToShow(collected));
    collected.builder.setCurve(collected.curve);
    if (collected.cpuEvents > 0)
        collected.builder.addGap(fmt::format("Memory of the CPU, recorded in {}, is not shown.",
                                             base::counted(collected.cpuEvents, "event")));
    addStacks(collected);
    collected.spans = {};
    ASSIGN_OR_RETURN(const std::vector<int> devices, addEvents(collected, context.piece(0, 2)));
    collected.memory = {};
    addRanges(collected, devices);
    collected.ranges = {};
    collected.builder.addGap(memtrace::kWholeBlocks);
    return std::move(collected.builder).build(context.piece(1, 2));
}

} // namespace plimsoll::readers::kineto
