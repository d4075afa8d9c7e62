// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/skyline_search.h"

#include "core/solve/pack/skyline.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace plimsoll::solve {

namespace {

using Index = Skyline::Index;
constexpr Index kNone = Skyline::kNone;
constexpr std::size_t kMostFailedStates = std::size_t{1} << 16U;
constexpr std::size_t kNodesBetweenLooks = 256; ///< at the stop token

constexpr double kSpareRoom = 0.01; ///< of the height, added to the room where time has a price
constexpr Index kNarrow = 16;       ///< sections after a buffer that are likely to be wasted
constexpr double kVaried = 0.03;    ///< of the rank by price, at most

constexpr std::size_t kSpareLevels = 256;
constexpr std::size_t kBytesPerLevel = 4096; ///< of stack, with much to spare

/// Each placed buffer is one level of the search, and so is each rise.
std::size_t mostDepth(std::size_t buffers)
{
    return 3 * buffers;
}

/// In the range 0 to 1.
double randomShare(std::uint64_t number)
{
    return static_cast<double>(randomBits(number)) * 0x1p-64;
}

double rankOf(const PackBuffer& buffer, PackOrder order)
{
    const auto duration = static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
    const auto size = static_cast<double>(buffer.size);
    switch (order) {
    case PackOrder::Area: return -duration * size;
    case PackOrder::Duration: return -duration;
    case PackOrder::Size:
    case PackOrder::Fit: return -size;
    case PackOrder::Begin:
    case PackOrder::Random:
    case PackOrder::Priced: break;
    }
    return 0;
}

/// A 125-bit random hash of a state: the items left to place, and the room wasted at each time.
struct StateKey
{
    std::uint64_t items = 0;
    std::uint64_t waste = 0; ///< modulo kWastePrime

    bool operator==(const StateKey&) const = default;
};

/// A fixed-size set of states that lead to no packing; newer states replace older ones.
class FailedStates
{
public:
    /// Clears the set; it then holds at most `places` states, rounded up to a power of two.
    void reset(std::size_t places) { m_places.assign(std::bit_ceil(places), {}); }
    [[nodiscard]] bool contains(const StateKey& key) const
    {
        return m_places[placeOf(key)] == key && key != StateKey{};
    }
    void insert(const StateKey& key) { m_places[placeOf(key)] = key; }

private:
    [[nodiscard]] std::size_t placeOf(const StateKey& key) const
    {
        return (key.items ^ key.waste * 0x9E3779B97F4A7C15ULL) & (m_places.size() - 1);
    }

    std::vector<StateKey> m_places; ///< the key 0, 0 means that nothing is left: it never fails
};

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
    SkylineSearch(const PackBuffers& buffers, const std::vector<std::uint32_t>& group,
                  const SkylineOptions& options, const std::stop_token& stop,
                  const std::atomic<bool>& dropped)
        : m_options{options}, m_skyline{buffers, group}, m_stop{stop}, m_dropped{dropped}
    {
        std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Index> latest;
        for (const std::uint32_t buffer : group) {
            const PackBuffer& row = buffers[buffer];
            const auto item = static_cast<Index>(m_rank.size());
            m_rank.push_back(options.order == PackOrder::Random
                                     || options.order == PackOrder::Priced
                                 ? randomShare(options.seed ^ randomBits(item))
                                 : rankOf(row, options.order));
            const auto [twin, added] = latest.try_emplace({row.lower, row.upper, row.size}, item);
            m_twin.push_back(added ? kNone : std::exchange(twin->second, item));
        }
    }

    SkylineAnswer search(std::int64_t height)
    {
        m_height = height;
        if (!m_skyline.reset(height))
            return {SkylineVerdict::Impossible, {}};
        m_failed.reset(std::min(kMostFailedStates, m_options.mostNodes));
        const Index ground = m_skyline.ground();
        if (!solve(part(ground, 0, m_skyline.sectionCount())))
            return {m_gaveUp ? SkylineVerdict::GaveUp : SkylineVerdict::Impossible, {}};
        SkylineAnswer answer{SkylineVerdict::Packed, {}};
        for (Index item = 0; item < m_skyline.itemCount(); ++item)
            answer.offsets.push_back(m_skyline.offset(item));
        return answer;
    }

private:
    /// A stretch of time with unplaced buffers that none of them crosses.
    struct Stretch
    {
        Index head; ///< its first segment
        Index begin;
        Index end;
        std::size_t left; ///< buffers
        StateKey key;     ///< of what is left and wasted in it
    };

    bool isOver()
    {
        if (++m_nodes > m_options.mostNodes || m_depth > mostDepth(m_skyline.itemCount())
            || (m_nodes % kNodesBetweenLooks == 0
                && (m_stop.stop_requested() || m_dropped.load(std::memory_order_relaxed))))
            m_gaveUp = true;
        return m_gaveUp;
    }

    /// Of identical buffers, the first unplaced one stands for all.
    [[nodiscard]] bool isChoice(Index item) const
    {
        return !m_skyline.isPlaced(item)
               && (m_twin[item] == kNone || m_skyline.isPlaced(m_twin[item]));
    }

    /// Marks the sections from which the ground can be filled up to the segment's end.
    void markFills(const Skyline::Segment& segment)
    {
        const Index length = segment.end - segment.begin;
        m_fills.assign(length + 1, 0);
        m_fills[length] = 1;
        for (Index k = length; k-- > 0;) {
            const Index section = segment.begin + k;
            bool fills = m_skyline.room(section) > 0 && m_fills[k + 1] != 0;
            for (Index item = m_skyline.startsAt(section);
                 !fills && item < m_skyline.startsAt(section + 1); ++item) {
                const Index end = m_skyline.item(item).end;
                fills = end <= segment.end && m_fills[end - segment.begin] != 0 && isChoice(item);
            }
            m_fills[k] = static_cast<char>(fills);
        }
    }

    /// Calls `take` with items that may be the leftmost one on the segment's ground: the ground
    /// before such an item has room to rise and no item that would fit below, and the ground after
    /// it can be filled.
    template <typename Take>
    void forEachFit(const Skyline::Segment& segment, const Take& take) const
    {
        const std::int64_t rim = m_skyline.leftRim(segment);
        std::int64_t room = std::numeric_limits<std::int64_t>::max();
        for (Index section = segment.begin; section < segment.end && room > 0; ++section) {
            for (Index i = m_skyline.startsAt(section); i < m_skyline.startsAt(section + 1); ++i) {
                const Skyline::Item& item = m_skyline.item(i);
                if (item.end > segment.end || m_fills[item.end - segment.begin] == 0
                    || !isChoice(i))
                    continue;
                if (section == segment.begin
                    || std::min(rim, segment.height + item.size) - segment.height <= room)
                    take(i);
            }
            room = std::min(room, m_skyline.room(section));
        }
    }

    /// If some item fits below the rim, leaving the ground empty gains nothing.
    [[nodiscard]] bool mayRise(const Skyline::Segment& segment) const
    {
        const std::int64_t rim = std::min(m_skyline.leftRim(segment), m_skyline.rightRim(segment));
        if (rim == Skyline::kWall)
            return false;
        const std::int64_t rise = rim - segment.height;
        for (Index section = segment.begin; section < segment.end; ++section) {
            if (m_skyline.room(section) < rise)
                return false;
            for (Index i = m_skyline.startsAt(section); i < m_skyline.startsAt(section + 1); ++i)
                if (!m_skyline.isPlaced(i) && m_skyline.item(i).end <= segment.end
                    && m_skyline.item(i).size <= rise)
                    return false;
        }
        return true;
    }

    std::uint32_t countChoices(const Skyline::Segment& segment)
    {
        markFills(segment);
        if (m_fills[0] == 0)
            return 0;
        std::uint32_t count = mayRise(segment) ? 1 : 0;
        forEachFit(segment, [&](Index) { ++count; });
        return count;
    }

    /// The primary key; m_rank breaks ties.
    [[nodiscard]] double rankIn(const Skyline::Segment& segment, Index item) const
    {
        const Skyline::Item& row = m_skyline.item(item);
        switch (m_options.order) {
        case PackOrder::Begin: return row.begin;
        case PackOrder::Fit: return -(static_cast<double>(row.end) - row.begin);
        case PackOrder::Priced: return pricedRank(segment, item);
        default: return row.begin > segment.begin ? 1 : 0;
        }
    }

    /// The price of a section's time grows with the inverse square of the room left there.
    void price(const Skyline::Segment& segment)
    {
        m_price.assign(1, 0);
        const double spare = kSpareRoom * static_cast<double>(m_height);
        for (Index section = segment.begin; section < segment.end; ++section) {
            const double room = static_cast<double>(m_skyline.room(section)) / spare + 1;
            m_price.push_back(m_price.back() + 1 / (room * room));
        }
    }

    /// The price of the time before the buffer and shortly after it, weighted by how far that rises
    /// within the buffer's height, minus the price of the buffer's own time.
    [[nodiscard]] double pricedRank(const Skyline::Segment& segment, Index item) const
    {
        const Skyline::Item& row = m_skyline.item(item);
        const auto priceUpTo = [&](Index section) { return m_price[section - segment.begin]; };
        const auto wasted = [&](std::int64_t rim) {
            return static_cast<double>(std::min(rim - segment.height, row.size))
                   / static_cast<double>(row.size);
        };
        const Index narrow = std::min(segment.end, row.end + kNarrow);
        const double rank =
            priceUpTo(row.begin) * wasted(m_skyline.leftRim(segment))
            + (priceUpTo(narrow) - priceUpTo(row.end)) * wasted(m_skyline.rightRim(segment))
            - (priceUpTo(row.end) - priceUpTo(row.begin));
        return rank * (1 + kVaried * (2 * m_rank[item] - 1));
    }

    /// The choices, best first. kNone stands for a rise of the valley and always comes last.
    std::vector<Index> choicesIn(const Skyline::Segment& segment)
    {
        using Ranked = std::tuple<double, double, Index, Index>;
        std::vector<Ranked> ranked;
        markFills(segment);
        if (m_options.order == PackOrder::Priced)
            price(segment);
        forEachFit(segment, [&](Index item) {
            ranked.emplace_back(rankIn(segment, item), m_rank[item], m_skyline.item(item).begin,
                                item);
        });
        std::sort(ranked.begin(), ranked.end());
        std::vector<Index> choices;
        choices.reserve(ranked.size() + 1);
        for (const Ranked& row : ranked)
            choices.push_back(std::get<3>(row));
        if (mayRise(segment))
            choices.push_back(kNone);
        return choices;
    }

    /// Returns kNone if some valley has no choice.
    Index pickValley(Index head)
    {
        Index best = kNone;
        const auto rank = [&](Index index) {
            const Skyline::Segment& segment = m_skyline.segment(index);
            return std::tuple{segment.choices, m_options.lowestFirst ? segment.height : 0,
                              std::numeric_limits<Index>::max() - index};
        };
        for (Index at = head; at != kNone; at = m_skyline.segment(at).next) {
            Skyline::Segment& segment = m_skyline.segment(at);
            if (segment.height > m_skyline.leftRim(segment)
                || segment.height > m_skyline.rightRim(segment))
                continue;
            if (segment.choices == Skyline::kUncounted)
                segment.choices = countChoices(segment);
            if (segment.choices == 0)
                return kNone;
            if (best == kNone || rank(at) < rank(best))
                best = at;
        }
        return best;
    }

    Stretch part(Index head, Index begin, Index end)
    {
        Stretch stretch{head, begin, end, 0, {0, m_skyline.wasteIn(begin, end)}};
        for (Index i = m_skyline.startsAt(begin); i < m_skyline.startsAt(end); ++i)
            if (!m_skyline.isPlaced(i)) {
                ++stretch.left;
                stretch.key.items += randomBits(i);
            }
        return stretch;
    }

    /// Solves the parts into which the stretch falls once the item is placed.
    bool solveParts(const Stretch& stretch, Index item)
    {
        if (stretch.left == 0)
            return true;
        std::vector<Stretch> parts;
        Index begin = stretch.begin;
        const Skyline::Item& placed = m_skyline.item(item);
        for (Index border = placed.begin + 1; border <= placed.end; ++border) {
            const bool last = border == placed.end;
            if (!last && m_skyline.isCrossed(border))
                continue;
            if (last && begin == stretch.begin)
                return solve(stretch); // not divided
            const Index end = last ? stretch.end : border;
            Stretch next = part(kNone, begin, end);
            if (next.left > 0)
                parts.push_back(next);
            begin = end;
        }
        std::stable_sort(parts.begin(), parts.end(),
                         [](const Stretch& a, const Stretch& b) { return a.left < b.left; });
        return std::all_of(parts.begin(), parts.end(), [&](Stretch& next) {
            next.head = m_skyline.copy(stretch.head, next.begin, next.end);
            return solve(next);
        });
    }

    bool tryChoice(const Stretch& stretch, Index valley, Index item)
    {
        Stretch after = stretch;
        const Skyline::Change change = item == kNone ? m_skyline.rise(valley, stretch.head)
                                                     : m_skyline.place(valley, item, stretch.head);
        after.head = change.head;
        after.key.waste = (after.key.waste + change.waste) % kWastePrime;
        bool packed = false;
        if (item == kNone) {
            packed = solve(after);
        } else {
            after.key.items -= randomBits(item);
            --after.left;
            packed = solveParts(after, item);
        }
        if (!packed)
            m_skyline.undo(change);
        return packed;
    }

    bool solve(const Stretch& stretch)
    {
        if (isOver() || m_failed.contains(stretch.key))
            return false;
        const Index valley = pickValley(stretch.head);
        if (valley == kNone)
            return false;
        for (const Index item : choicesIn(m_skyline.segment(valley))) {
            ++m_depth;
            const bool packed = tryChoice(stretch, valley, item);
            --m_depth;
            if (packed || m_gaveUp)
                return packed;
        }
        m_failed.insert(stretch.key);
        return false;
    }

    SkylineOptions m_options;
    Skyline m_skyline;
    std::vector<double> m_rank;  ///< by item, smaller first
    std::vector<Index> m_twin;   ///< by item: one just like it that comes first
    std::vector<char> m_fills;   ///< scratch of markFills(), by section from the begin
    std::vector<double> m_price; ///< of the valley's time up to a section, from its begin
    std::int64_t m_height = 0;   ///< that is searched
    FailedStates m_failed;
    std::size_t m_nodes = 0;
    std::size_t m_depth = 0;
    const std::stop_token& m_stop;
    const std::atomic<bool>& m_dropped;
    bool m_gaveUp = false;
};

} // namespace

SkylineAnswer searchSkyline(const PackBuffers& buffers, const std::vector<std::uint32_t>& group,
                            const SkylineOptions& options, std::int64_t height,
                            const std::stop_token& stop, const std::atomic<bool>& dropped)
{
    return SkylineSearch{buffers, group, options, stop, dropped}.search(height);
}

std::size_t skylineStackBytes(std::size_t buffers)
{
    return (mostDepth(buffers) + kSpareLevels) * kBytesPerLevel;
}

} // namespace plimsoll::solve
