// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"
#include "core/memtrace/ids.h"
#include "core/memtrace/step_curve.h"
#include "core/timeline/times.h"

#include <array>
#include <cstdint>
#include <vector>

namespace plimsoll::memtrace {

enum class Action : std::uint8_t {
    Alloc,
    FreeRequested, ///< pending: another stream may still use the block
    FreeCompleted,
    Free, ///< requested and completed with no event between: two events of the recording
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Snapshot,
    Annotate,
    Other,
};
/// "alloc", "free_requested", …: as PyTorch's snapshots name them.
[[nodiscard]] const char* actionName(Action action);

/// Where in the allocator memory belongs.
struct Place
{
    std::uint64_t stream = 0;            ///< as recorded: often a pointer
    std::array<std::uint64_t, 2> pool{}; ///< {0, 0}: the default pool
    bool operator==(const Place&) const = default;
    [[nodiscard]] bool isPrivate() const { return pool[0] != 0 || pool[1] != 0; }
};

/// One column for each property of an allocation, in the order in which the recording first names
/// them; those that it never names, live from before its begin to its end, come last.
struct Allocations
{
    base::Column<std::uint64_t> address;   ///< kNoAddress: not recorded
    base::Column<std::int64_t> bytes;      ///< as requested
    base::Column<EventIndex> allocEvent;   ///< kNoEvent: before the recording
    base::Column<EventIndex> freeEvent;    ///< when completed; kNoEvent: live at the end
    base::Column<std::uint32_t> stack;     ///< StackId of who allocated it
    base::Column<std::uint32_t> freeStack; ///< of who freed it; empty if none was recorded
    base::Column<PlaceId> place;

    [[nodiscard]] std::size_t size() const { return address.size(); }
};

/// A free that was requested some events before it was completed, if it was.
struct PendingFree
{
    std::uint32_t allocation = 0;
    EventIndex requested = 0;
};

/// A range of reserved addresses: what one cudaMalloc returned, or what was mapped into an
/// expandable segment at once and is unmapped at once.
struct Segment
{
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    EventIndex begin = kNoEvent; ///< kNoEvent: before the recording
    EventIndex end = kNoEvent;   ///< kNoEvent: reserved at the end
    std::uint32_t stack = 0;     ///< StackId
    PlaceId place = 0;
    bool isLarge = false; ///< of the pool for more than 1 MiB; known only of those at the end
    bool isExpandable = false;
};

/// A block of a segment when the recording ended.
struct EndBlock
{
    std::uint64_t address = 0;
    std::int64_t bytes = 0;           ///< rounded up by the allocator
    std::uint32_t allocation = kNone; ///< kNone: idle
    bool isPending = false;           ///< freed, but another stream may still use it
};

/// An allocation that failed.
struct OutOfMemory
{
    EventIndex event = 0;
    std::int64_t askedBytes = 0;
    std::int64_t deviceFreeBytes = 0; ///< according to the driver; -1: not recorded
    std::uint32_t stack = 0;          ///< StackId
};

/// Text that belongs to an event, such as the user's metadata.
struct EventText
{
    enum class Kind : std::uint8_t {
        UserMetadata,
        InternalMetadata,
        CompileContext,
        Category,
        Annotation
    };
    EventIndex event = 0;
    TextId text;
    Kind kind = Kind::UserMetadata;
};

/// What a DeviceTrace consists of: filled by the builder, or from a column file.
struct DeviceColumns
{
    int ordinal = 0;
    base::Column<Action> actions;         ///< by event, as the next
    base::Column<std::uint32_t> subjects; ///< see DeviceTrace::subject()
    timeline::Times times;                ///< see DeviceTrace::axisTimes(); compressed
    /// By block of kRankBlock events: how many frees before it are two recorded events.
    base::Column<std::uint32_t> foldedBefore;
    Allocations allocations;
    std::vector<PendingFree> pendingFrees; ///< sorted by allocation
    std::vector<Place> places;
    std::vector<Segment> segments; ///< sorted by begin
    std::vector<EndBlock> endBlocks;
    std::vector<OutOfMemory> outOfMemory;
    std::vector<EventText> texts; ///< sorted by event
    bool hasEnd = false;          ///< whether the state at the end was recorded
    /// Of recordings that tell how much was reserved, but not where: they have no segments.
    std::vector<StepCurve::Point> reservedTotals;
    /// Of recordings that tell what the driver gave to others than the allocator: see
    /// DeviceTrace::foreign().
    std::vector<StepCurve::Point> foreign;

    static constexpr std::size_t kRankBlock = 64;
};

} // namespace plimsoll::memtrace
