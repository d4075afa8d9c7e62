// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/failed_states.h"
#include "core/solve/pack/packing.h"
#include "core/solve/pack/skyline.h"

#include <atomic>
#include <stop_token>

namespace plimsoll::solve {

/// What is tried first at a place that several buffers fit.
enum class PackOrder : std::uint8_t {
    Area, ///< of those that begin with the valley, else of the others; so the next two
    Duration,
    Size,
    Begin,  ///< nearest to the valley's begin
    Fit,    ///< least time left before and behind it in the valley, then the largest
    Random, ///< by the seed; of those that begin with the valley, else of the others
    Priced, ///< most time filled, less that wasted beside it; time is dear where room is scarce
};
inline constexpr std::size_t kFixedPackOrders = 5; ///< all before Random

struct SkylineOptions
{
    PackOrder order = PackOrder::Area;
    bool lowestFirst = false;  ///< of valleys with equally few choices; else the newest one
    std::size_t mostNodes = 0; ///< then it gives up
    std::uint64_t seed = 0;    ///< of PackOrder::Random, and of Priced, which it varies a little
};

enum class SkylineVerdict : std::uint8_t {
    Packed,
    Impossible, ///< proven: no packing has that height
    GaveUp,     ///< too many nodes, or stopped
};

/// Searches a packing of at most some height for buffers of one group.
///
/// Only packings in which every buffer rests on another one or on the ground are searched, which
/// loses none. They are built from the ground. A *valley* is a level stretch of the skyline between
/// higher ones. In it, either some buffer is the leftmost one that rests on its ground, or none
/// rests there, and whatever comes above it is no lower than the lower rim: the skyline rises to
/// that without a buffer. Such rises waste room, and no time has more of it than the height less
/// the live sum. So any valley may be decided on next: the one with the fewest choices is. When no
/// buffer that is left connects two stretches of time, each is searched on its own. States that
/// failed are kept, whatever order led to them: it depends on what is left and on the room wasted.
class SkylineSearch
{
public:
    /// `group` names buffers of one independent group.
    SkylineSearch(const PackBuffers& buffers, const std::vector<std::uint32_t>& group,
                  const SkylineOptions& options);

    /// Offsets of the group's buffers, in its order, are in offsets() when packed. `dropped` stops
    /// it as well as the token.
    [[nodiscard]] SkylineVerdict search(std::int64_t height, const std::stop_token& stop,
                                        const std::atomic<bool>& dropped);
    [[nodiscard]] const PackOffsets& offsets() const { return m_offsets; }
    /// Of the stack that the search of so many buffers may need.
    [[nodiscard]] static std::size_t stackBytes(std::size_t buffers);

private:
    using Index = Skyline::Index;

    /// A stretch of time in which buffers are left and that no buffer leaves.
    struct Stretch
    {
        Index head; ///< its first segment
        Index begin;
        Index end;
        std::size_t left; ///< buffers
        StateKey key;     ///< of what is left and wasted in it
    };

    [[nodiscard]] bool solve(const Stretch& stretch);
    [[nodiscard]] bool tryChoice(const Stretch& stretch, Index valley, Index item);
    /// The same stretch, or the ones it falls into now that the item is placed.
    [[nodiscard]] bool solveParts(const Stretch& stretch, Index item);
    [[nodiscard]] Stretch part(Index head, Index begin, Index end);
    /// kNone: some valley has no choice.
    [[nodiscard]] Index pickValley(Index head);
    /// Best first. kNone, always last: the valley rises.
    [[nodiscard]] std::vector<Index> choicesIn(const Skyline::Segment& segment);
    [[nodiscard]] std::uint32_t countChoices(const Skyline::Segment& segment);
    /// Finds from which sections the ground can be filled to the segment's end.
    void markFills(const Skyline::Segment& segment);
    template <typename Take>
    void forEachFit(const Skyline::Segment& segment, const Take& take) const;
    [[nodiscard]] bool mayRise(const Skyline::Segment& segment) const;
    [[nodiscard]] bool isChoice(Index item) const;
    [[nodiscard]] double rankIn(const Skyline::Segment& segment, Index item) const;
    [[nodiscard]] double pricedRank(const Skyline::Segment& segment, Index item) const;
    void price(const Skyline::Segment& segment);
    [[nodiscard]] bool isOver();

    SkylineOptions m_options;
    Skyline m_skyline;
    std::vector<double> m_rank;  ///< by item, smaller first
    std::vector<Index> m_twin;   ///< by item: one just like it that comes first
    std::vector<char> m_fills;   ///< scratch of markFills(), by section behind the begin
    std::vector<double> m_price; ///< of the valley's time up to a section, from its begin
    std::int64_t m_height = 0;   ///< that is searched
    FailedStates m_failed;
    PackOffsets m_offsets;
    std::size_t m_nodes = 0;
    std::size_t m_depth = 0;
    const std::stop_token* m_stop = nullptr;
    const std::atomic<bool>* m_dropped = nullptr;
    bool m_gaveUp = false;
};

} // namespace plimsoll::solve
