// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/skyline.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::solve {

namespace {

// The only form that GCC accepts.
__extension__ typedef unsigned __int128 Wide; // NOLINT(modernize-use-using)

/// a * b modulo kWastePrime; both below it.
std::uint64_t wasteProduct(std::uint64_t a, std::uint64_t b)
{
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t sum = static_cast<std::uint64_t>(product & kWastePrime)
                              + static_cast<std::uint64_t>(product >> 61U);
    return sum >= kWastePrime ? sum - kWastePrime : sum;
}

} // namespace

Skyline::Skyline(const PackBuffers& buffers, const std::vector<std::uint32_t>& group)
{
    std::vector<std::int64_t> borders;
    for (const std::uint32_t buffer : group) {
        borders.push_back(buffers[buffer].lower);
        borders.push_back(buffers[buffer].upper);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    const std::size_t sections = borders.empty() ? 0 : borders.size() - 1;
    const auto sectionOf = [&](std::int64_t time) {
        return static_cast<Index>(std::lower_bound(borders.begin(), borders.end(), time)
                                  - borders.begin());
    };
    m_live.assign(sections, 0);
    m_startsAt.assign(sections + 1, 0);
    for (const std::uint32_t buffer : group) { // groups are sorted by begin
        const Item item{sectionOf(buffers[buffer].lower), sectionOf(buffers[buffer].upper),
                        buffers[buffer].size};
        m_items.push_back(item);
        ++m_startsAt[item.begin + 1];
        for (Index section = item.begin; section < item.end; ++section)
            m_live[section] += item.size;
    }
    for (std::size_t section = 0; section < sections; ++section)
        m_startsAt[section + 1] += m_startsAt[section];
    m_bitsUpTo.assign(1, 0);
    for (std::size_t section = 0; section < sections; ++section)
        m_bitsUpTo.push_back((m_bitsUpTo.back() + randomBits(section) % kWastePrime) % kWastePrime);
}

bool Skyline::reset(std::int64_t height)
{
    m_height = height;
    m_room.resize(m_live.size());
    for (std::size_t section = 0; section < m_live.size(); ++section)
        m_room[section] = height - m_live[section];
    m_across.assign(m_live.size() + 1, 0);
    for (const Item& item : m_items)
        for (Index border = item.begin + 1; border < item.end; ++border)
            ++m_across[border];
    m_placed.assign(m_items.size(), false);
    m_offset.assign(m_items.size(), 0);
    m_segments.clear();
    m_trail.clear();
    return std::all_of(m_room.begin(), m_room.end(), [](std::int64_t room) { return room >= 0; });
}

Skyline::Index Skyline::ground()
{
    m_segments.push_back({0, sectionCount(), 0, kNone, kNone, kUncounted});
    return static_cast<Index>(m_segments.size() - 1);
}

std::uint64_t Skyline::wasteOf(Index begin, Index end, std::int64_t rise) const
{
    const std::uint64_t bits = (m_bitsUpTo[end] + kWastePrime - m_bitsUpTo[begin]) % kWastePrime;
    return wasteProduct(bits, static_cast<std::uint64_t>(rise) % kWastePrime);
}

std::uint64_t Skyline::wasteIn(Index begin, Index end) const
{
    std::uint64_t sum = 0;
    for (Index section = begin; section < end; ++section)
        sum = (sum + wasteOf(section, section + 1, m_height - m_live[section] - m_room[section]))
              % kWastePrime;
    return sum;
}

std::uint64_t Skyline::addRise(Index begin, Index end, std::int64_t rise)
{
    for (Index section = begin; section < end; ++section)
        m_room[section] -= rise;
    m_trail.push_back({kNone, begin, end, rise});
    return wasteOf(begin, end, rise);
}

void Skyline::addItem(Index item, std::int64_t offset)
{
    m_placed[item] = true;
    m_offset[item] = offset;
    for (Index border = m_items[item].begin + 1; border < m_items[item].end; ++border)
        --m_across[border];
    m_trail.push_back({item, 0, 0, 0});
}

void Skyline::undoTrail(std::size_t length)
{
    for (; m_trail.size() > length; m_trail.pop_back()) {
        const Step& step = m_trail.back();
        if (step.item == kNone) {
            for (Index section = step.begin; section < step.end; ++section)
                m_room[section] += step.rise;
            continue;
        }
        m_placed[step.item] = false;
        for (Index border = m_items[step.item].begin + 1; border < m_items[step.item].end; ++border)
            ++m_across[border];
    }
}

Skyline::Change Skyline::begin(Index valley, Index head) const
{
    const Segment& segment = m_segments[valley];
    Change change{};
    change.left = segment.previous;
    change.right = segment.next;
    change.segments = m_segments.size();
    change.trail = m_trail.size();
    change.head = head;
    return change;
}

/// A neighbour absorbs pieces of its height; the absorbed segment stays in the pool for undo.
void Skyline::replace(Index valley, std::span<const Piece> pieces, Change& change)
{
    std::array<Piece, 5> all{};
    std::size_t count = 0;
    const auto add = [&](const Piece& piece) {
        if (piece.begin == piece.end)
            return;
        if (count > 0 && all[count - 1].height == piece.height)
            all[count - 1].end = piece.end;
        else
            all[count++] = piece;
    };
    const bool swallowsHead = valley == change.head
                              || (change.left == change.head && change.left != kNone
                                  && m_segments[change.left].height == pieces.front().height);
    if (change.left != kNone && m_segments[change.left].height == pieces.front().height) {
        add({m_segments[change.left].begin, m_segments[change.left].end, pieces.front().height});
        change.left = m_segments[change.left].previous;
    }
    for (const Piece& piece : pieces)
        add(piece);
    if (change.right != kNone && m_segments[change.right].height == pieces.back().height) {
        add({m_segments[change.right].begin, m_segments[change.right].end, pieces.back().height});
        change.right = m_segments[change.right].next;
    }
    Index previous = change.left;
    for (std::size_t i = 0; i < count; ++i) {
        const auto index = static_cast<Index>(m_segments.size());
        const Index next = i + 1 < count ? index + 1 : change.right;
        m_segments.push_back({all[i].begin, all[i].end, all[i].height, previous, next, kUncounted});
        previous = index;
    }
    const auto first = static_cast<Index>(change.segments);
    if (swallowsHead)
        change.head = first;
    if (change.left != kNone) {
        change.leftNext = std::exchange(m_segments[change.left].next, first);
        change.leftChoices = std::exchange(m_segments[change.left].choices, kUncounted);
    }
    if (change.right != kNone) {
        change.rightPrevious = std::exchange(m_segments[change.right].previous, previous);
        change.rightChoices = std::exchange(m_segments[change.right].choices, kUncounted);
    }
}

Skyline::Change Skyline::place(Index valley, Index item, Index head)
{
    Change change = begin(valley, head);
    const Segment segment = m_segments[valley];
    const Item& placed = m_items[item];
    const std::int64_t top = segment.height + placed.size;
    std::array<Piece, 3> pieces{};
    std::size_t count = 0;
    if (placed.begin > segment.begin) {
        const std::int64_t rim = std::min(leftRim(segment), top);
        change.waste = addRise(segment.begin, placed.begin, rim - segment.height);
        pieces[count++] = {segment.begin, placed.begin, rim};
    }
    addItem(item, segment.height);
    pieces[count++] = {placed.begin, placed.end, top};
    if (placed.end < segment.end)
        pieces[count++] = {placed.end, segment.end, segment.height};
    replace(valley, std::span{pieces}.first(count), change);
    return change;
}

Skyline::Change Skyline::rise(Index valley, Index head)
{
    Change change = begin(valley, head);
    const Segment segment = m_segments[valley];
    const std::int64_t rim = std::min(leftRim(segment), rightRim(segment));
    change.waste = addRise(segment.begin, segment.end, rim - segment.height);
    const std::array pieces{Piece{segment.begin, segment.end, rim}};
    replace(valley, pieces, change);
    return change;
}

void Skyline::undo(const Change& change)
{
    undoTrail(change.trail);
    if (change.left != kNone) {
        m_segments[change.left].next = change.leftNext;
        m_segments[change.left].choices = change.leftChoices;
    }
    if (change.right != kNone) {
        m_segments[change.right].previous = change.rightPrevious;
        m_segments[change.right].choices = change.rightChoices;
    }
    m_segments.resize(change.segments);
}

Skyline::Index Skyline::copy(Index head, Index begin, Index end)
{
    const auto first = static_cast<Index>(m_segments.size());
    for (Index at = head; at != kNone && m_segments[at].begin < end; at = m_segments[at].next) {
        if (m_segments[at].end <= begin)
            continue;
        const auto index = static_cast<Index>(m_segments.size());
        m_segments.push_back({std::max(m_segments[at].begin, begin),
                              std::min(m_segments[at].end, end), m_segments[at].height,
                              index == first ? kNone : index - 1, index + 1, kUncounted});
    }
    m_segments.back().next = kNone;
    return first;
}

} // namespace plimsoll::solve
