// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

#include <limits>
#include <span>

namespace plimsoll::solve {

/// Amounts of waste in keys are modulo this prime.
inline constexpr std::uint64_t kWastePrime = (std::uint64_t{1} << 61U) - 1;

/// Pseudorandom 64 bits for a number.
[[nodiscard]] inline std::uint64_t randomBits(std::uint64_t number)
{
    std::uint64_t z = (number + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

/// The upper edge of a packing that grows from the ground, with undo. Time is divided into
/// *sections* at each begin and end of a buffer; items are the buffers of one group, by begin.
class Skyline
{
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = std::numeric_limits<Index>::max();
    /// The height beyond the ends of a stretch of time, which no buffer has.
    static constexpr std::int64_t kWall = std::numeric_limits<std::int64_t>::max();

    struct Item
    {
        Index begin; ///< sections begin .. end - 1
        Index end;
        std::int64_t size;
    };
    /// Consecutive sections of the same height; neighbouring segments of a list differ in height.
    struct Segment
    {
        Index begin;
        Index end;
        std::int64_t height;
        Index previous;
        Index next;
        std::uint32_t choices; ///< used by the search; kUncounted: unknown
    };
    static constexpr std::uint32_t kUncounted = std::numeric_limits<std::uint32_t>::max();

    Skyline(const PackBuffers& buffers, const std::vector<std::uint32_t>& group);

    /// Starts empty, with room up to that height. False: the live sum is larger somewhere.
    [[nodiscard]] bool reset(std::int64_t height);
    /// The single segment of an empty skyline.
    [[nodiscard]] Index ground();

    [[nodiscard]] std::size_t itemCount() const { return m_items.size(); }
    [[nodiscard]] const Item& item(Index index) const { return m_items[index]; }
    [[nodiscard]] Index sectionCount() const { return static_cast<Index>(m_room.size()); }
    [[nodiscard]] bool isPlaced(Index item) const { return m_placed[item]; }
    /// Items that begin at a section are startsAt(section) .. startsAt(section + 1) - 1.
    [[nodiscard]] Index startsAt(Index section) const { return m_startsAt[section]; }
    /// How much a section may still waste.
    [[nodiscard]] std::int64_t room(Index section) const { return m_room[section]; }
    /// Whether an unplaced item crosses a border.
    [[nodiscard]] bool isCrossed(Index border) const { return m_across[border] > 0; }
    [[nodiscard]] const Segment& segment(Index index) const { return m_segments[index]; }
    [[nodiscard]] Segment& segment(Index index) { return m_segments[index]; }
    [[nodiscard]] std::int64_t leftRim(const Segment& segment) const
    {
        return segment.previous == kNone ? kWall : m_segments[segment.previous].height;
    }
    [[nodiscard]] std::int64_t rightRim(const Segment& segment) const
    {
        return segment.next == kNone ? kWall : m_segments[segment.next].height;
    }

    /// A segment replaced by others, with what is needed to undo it.
    struct Change
    {
        Index left; ///< neighbours that stay
        Index right;
        Index leftNext;
        Index rightPrevious;
        std::uint32_t leftChoices;
        std::uint32_t rightChoices;
        std::size_t segments;
        std::size_t trail;
        Index head;          ///< of the list afterwards
        std::uint64_t waste; ///< of the rise, for keys
    };
    /// Places an item leftmost on the ground of a valley: what is before it rises to the lower of
    /// its rims. There must be enough room.
    Change place(Index valley, Index item, Index head);
    /// Raises the whole valley to its lower rim, which must not be kWall.
    Change rise(Index valley, Index head);
    void undo(const Change& change);

    /// A copy of the list's sections begin .. end - 1, with walls at both ends.
    [[nodiscard]] Index copy(Index head, Index begin, Index end);

    /// The positions of placed items.
    [[nodiscard]] std::int64_t offset(Index item) const { return m_offset[item]; }
    /// A random hash of the waste so far in a stretch of sections.
    [[nodiscard]] std::uint64_t wasteIn(Index begin, Index end) const;

private:
    struct Piece
    {
        Index begin;
        Index end;
        std::int64_t height;
    };
    /// A change of sections or items.
    struct Step
    {
        Index item; ///< placed; kNone: a rise
        Index begin;
        Index end;
        std::int64_t rise;
    };

    /// Undoes everything since the trail had that length.
    void undoTrail(std::size_t length);
    [[nodiscard]] Change begin(Index valley, Index head) const;
    void replace(Index valley, std::span<const Piece> pieces, Change& change);
    [[nodiscard]] std::uint64_t addRise(Index begin, Index end, std::int64_t rise);
    void addItem(Index item, std::int64_t offset);
    [[nodiscard]] std::uint64_t wasteOf(Index begin, Index end, std::int64_t rise) const;

    std::vector<Item> m_items;
    std::vector<Index> m_startsAt;
    std::vector<std::int64_t> m_live; ///< by section
    std::vector<std::int64_t> m_room; ///< by section: the rest is live or wasted
    std::int64_t m_height = 0;
    std::vector<Index> m_across;           ///< by border: before section 0 first
    std::vector<std::uint64_t> m_bitsUpTo; ///< by border: sums of random numbers of sections
    std::vector<bool> m_placed;            ///< by item
    std::vector<std::int64_t> m_offset;    ///< by item
    std::vector<Segment> m_segments;
    std::vector<Step> m_trail;
};

} // namespace plimsoll::solve
