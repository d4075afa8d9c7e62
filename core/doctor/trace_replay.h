// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/allocator/allocator_replay.h"
#include "core/base/job_context.h"
#include "core/memtrace/device_trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::doctor {

/// 16 TiB, more than any device has. The address ranges of expandable segments are as large as the
/// device: 131,072 of them, of all streams and pools that a recording can have, fit into 63 bits.
inline constexpr base::Bytes kUnlimitedDevice{std::int64_t{1} << 44U};

/// Which of the releases of cached memory that a recording has a replay repeats.
enum class Releases : std::uint8_t {
    Recorded,  ///< all
    OfProgram, ///< those that torch.cuda.empty_cache() made, as far as the recording tells: others
               ///< the allocator makes when it needs them
};

struct ReplayOptions
{
    allocator::AllocatorSettings settings = {};
    base::Bytes device = kUnlimitedDevice; ///< what PyTorch may reserve
    /// Events before this one are replayed.
    memtrace::EventIndex end = memtrace::kNoEvent;
    Releases releases = Releases::Recorded;
};

/// A place of the allocator as AllocatorReplay numbers it.
struct ReplayPlace
{
    allocator::AllocatorReplay::Stream stream = 0;
    allocator::AllocatorReplay::Pool pool = 0;
};

/// Where a replay led.
struct Replayed
{
    allocator::AllocatorReplay allocator; ///< in the state after the last event
    /// The event whose allocation found no memory, with which the replay ended.
    std::optional<memtrace::EventIndex> failedAt;
    /// The first event after which other bytes were reserved than the recording says.
    std::optional<memtrace::EventIndex> differsAt;
    std::size_t freed = 0; ///< allocations that recorded failures got, and gave back at once
};

/// Feeds what a recording says that was allocated and freed to PyTorch's allocator.
class TraceReplay
{
public:
    /// `device` must outlive it.
    explicit TraceReplay(const memtrace::DeviceTrace& device);

    /// With the recorded settings and releases. Finds out which of these were the allocator's own,
    /// which runs with Releases::OfProgram need: those without which an allocation behind them
    /// would have failed. `limit`: what PyTorch could have reserved at most; if it isn't known, the
    /// most that it did. Nothing if it was stopped.
    [[nodiscard]] std::optional<Replayed> follow(const allocator::AllocatorSettings& settings,
                                                 memtrace::EventIndex end,
                                                 std::optional<base::Bytes> limit,
                                                 const base::JobContext& context);
    /// Nothing if it was stopped.
    [[nodiscard]] std::optional<Replayed> run(const ReplayOptions& options,
                                              const base::JobContext& context) const;
    /// The same; `watch` sees each event, and the allocator before it.
    using Watch = std::function<void(memtrace::EventIndex, const allocator::AllocatorReplay&)>;
    [[nodiscard]] std::optional<Replayed>
    run(const ReplayOptions& options, const base::JobContext& context, const Watch& watch) const;

    /// The place for which an allocation that failed at this event was most likely meant: that of
    /// the allocation before it. Recordings don't say.
    [[nodiscard]] ReplayPlace placeBefore(memtrace::EventIndex event) const;
    [[nodiscard]] const ReplayPlace& placeOf(memtrace::PlaceId place) const
    {
        return m_places[place];
    }
    /// Whether the device's allocations all have one stream and pool.
    [[nodiscard]] bool hasOnePlace() const { return m_hasOnePlace; }

    /// Allocations from before the recording: they are replayed first, by address.
    [[nodiscard]] std::size_t allocatedBefore() const { return m_before.size(); }
    /// Releases that were the allocator's own, if the program didn't happen to ask for them just
    /// before they were needed. Those before a failure are clear.
    [[nodiscard]] std::size_t unclearReleases() const { return m_unclear; }

private:
    class Pass;

    template <typename Look>
    [[nodiscard]] std::optional<Replayed>
    replayed(const ReplayOptions& options, const base::JobContext& context, const Look& look) const;
    void numberPlaces();
    void findOddAllocations();
    /// Whether the allocator released by itself what is released from this event on.
    [[nodiscard]] bool isOwnRelease(memtrace::EventIndex begin, base::Bytes limit,
                                    const allocator::AllocatorReplay& before);

    const memtrace::DeviceTrace& m_device;
    std::vector<ReplayPlace> m_places;   ///< by PlaceId
    std::vector<std::uint32_t> m_before; ///< allocations
    /// Events that allocate where an allocation is live still, and that allocation; by event.
    std::vector<std::pair<memtrace::EventIndex, std::uint32_t>> m_replaced;
    std::vector<memtrace::EventIndex> m_own; ///< begins of releases that the allocator made
    std::size_t m_unclear = 0;
    bool m_hasOnePlace = true;
};

} // namespace plimsoll::doctor
