// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/curve_so_far.h"
#include "core/base/result.h"
#include "core/memtrace/collected_device.h"

#include <array>
#include <optional>

namespace plimsoll::memtrace {

/// Addresses from here on, which no device has, are a reader's names for memory whose address isn't
/// known: they pair frees with allocations, and become kNoAddress.
inline constexpr std::uint64_t kNamesInsteadOfAddresses = std::uint64_t{1} << 63U;

/// An event as a recording has it.
struct RecordedEvent
{
    Action action = Action::Other; ///< never Free, which the builder makes of two
    std::uint64_t address = 0;
    std::int64_t bytes = 0;             ///< OutOfMemory: what was asked for
    std::int64_t deviceFreeBytes = 0;   ///< of OutOfMemory; -1: not recorded
    std::optional<std::int64_t> timeNs; ///< since 1970
    std::uint64_t stream = 0;
    std::optional<std::array<std::uint64_t, 2>> pool; ///< older recordings don't have it
    StackId stack;
};

/// A segment at the end of the recording.
struct RecordedSegment
{
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::uint64_t stream = 0;
    std::array<std::uint64_t, 2> pool{};
    bool isLarge = false;
    bool isExpandable = false;
    StackId stack;
};

/// Collects one device's events and its state at the end, and pairs allocations with frees while
/// they come. What doesn't fit together is counted.
class DeviceBuilder
{
public:
    /// `curve`: see Builder; null: nobody looks.
    explicit DeviceBuilder(int ordinal, base::CurveSoFar* curve = nullptr) : m_feed{curve, ordinal}
    {
        m_collected.ordinal = ordinal;
    }

    /// Fails at sizes and addresses that no device has, and with too many events or different
    /// places. Then nothing was added.
    [[nodiscard]] base::Result<EventIndex> add(const RecordedEvent& event);
    /// A text of an event that was added.
    void addText(const EventText& text) { m_collected.texts.push_back(text); }
    /// Fails likewise.
    [[nodiscard]] base::Result<void> addSegment(const RecordedSegment& segment);
    /// Of any segment.
    [[nodiscard]] base::Result<void> addBlock(const RecordedBlock& block);

    /// What is reserved after the last event that was added, where no segments are recorded. The
    /// first call counts for the time before the recording, too.
    void setReserved(base::Bytes bytes);
    /// Memory that was there before the first event: address, bytes, stream, pool and stack count.
    /// A free that is added later may end it. Fails as add() does.
    [[nodiscard]] base::Result<void> addBefore(const RecordedEvent& memory);

    [[nodiscard]] std::size_t eventCount() const { return m_collected.actions.size(); }
    /// Of allocations from before the recording that were added or freed.
    [[nodiscard]] base::Bytes beforeBytes() const { return base::Bytes{m_collected.before}; }

private:
    friend class Builder;

    [[nodiscard]] base::Result<void> checkRoom(const RecordedEvent& event) const;
    [[nodiscard]] base::Result<PlaceId> placeOf(const Place& place);
    [[nodiscard]] std::uint32_t newAllocation(const RecordedEvent& event, PlaceId place);
    /// The allocation that was last seen at an address; kNone if there was none.
    [[nodiscard]] std::uint32_t lastAt(std::uint64_t address) const;
    /// The allocation that a free means: live, or from before the recording. kNone: freed already.
    [[nodiscard]] std::uint32_t freedBy(const RecordedEvent& event, PlaceId place);
    /// Does what an event says; returns its subject.
    [[nodiscard]] std::uint32_t take(const RecordedEvent& event, PlaceId place);
    [[nodiscard]] std::uint32_t takeAlloc(const RecordedEvent& event, PlaceId place);
    [[nodiscard]] std::uint32_t takeRequest(const RecordedEvent& event, PlaceId place);
    [[nodiscard]] std::uint32_t takeCompletion(const RecordedEvent& event, PlaceId place);
    /// The block at an address where another is allocated has been freed.
    void endBefore(std::uint32_t allocation);
    void end(std::uint32_t allocation, EventIndex event);
    void takeSegment(const RecordedEvent& event, PlaceId place);
    /// Whether the event completes the free that the last event requested.
    [[nodiscard]] bool completesLast(const RecordedEvent& event) const;
    void completeLast(const RecordedEvent& event);
    void appendTime(const RecordedEvent& event);
    [[nodiscard]] EventIndex nextEvent() const
    {
        return static_cast<EventIndex>(m_collected.actions.size());
    }

    /// Live bytes, less those at first.
    [[nodiscard]] std::int64_t liveSinceBegin() const
    {
        return m_collected.live - m_collected.freedBefore;
    }

    CollectedDevice m_collected;
    base::CurveFeed m_feed;
};

} // namespace plimsoll::memtrace
