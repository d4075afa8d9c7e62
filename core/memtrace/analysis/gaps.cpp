// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/gaps.h"

#include <algorithm>
#include <utility>

namespace plimsoll::memtrace {

namespace {

std::uint64_t endOf(const Segment& segment)
{
    return segment.address + static_cast<std::uint64_t>(segment.bytes);
}

/// Segments that are reserved during a step, by address. What lies side by side in an expandable
/// segment was mapped piece by piece, and is one.
std::vector<Segment> segmentsAt(const DeviceTrace& device, std::size_t step)
{
    std::vector<Segment> found;
    for (const Segment& segment : device.segments())
        if ((segment.begin == kNoEvent || segment.begin + std::size_t{1} <= step)
            && (segment.end == kNoEvent || segment.end >= step) && segment.bytes > 0)
            found.push_back(segment);
    std::ranges::sort(found, {}, &Segment::address);
    std::vector<Segment> joined;
    for (const Segment& segment : found) {
        const bool continues = !joined.empty() && segment.isExpandable && joined.back().isExpandable
                               && joined.back().place == segment.place
                               && endOf(joined.back()) == segment.address;
        if (continues)
            joined.back().bytes += segment.bytes;
        else
            joined.push_back(segment);
    }
    return joined;
}

std::vector<Gap> idleBlocks(const DeviceTrace& device, const std::vector<Segment>& segments)
{
    std::vector<Gap> gaps;
    for (const EndBlock& block : device.endBlocks()) {
        if (block.allocation != kNone)
            continue;
        Gap gap{base::Bytes{block.bytes}, std::nullopt};
        const auto after = std::ranges::upper_bound(segments, block.address, {}, &Segment::address);
        if (after != segments.begin())
            gap.segment = *std::prev(after);
        gaps.push_back(std::move(gap));
    }
    return gaps;
}

/// By address: begin and end of what live allocations take at least.
std::vector<std::pair<std::uint64_t, std::uint64_t>> takenBy(const DeviceTrace& device,
                                                             std::span<const std::uint32_t> live)
{
    const Allocations& all = device.allocations();
    const TakenEnds ends{device};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    taken.reserve(live.size());
    for (const std::uint32_t i : live) {
        if (all.address[i] == kNoAddress || all.bytes[i] == 0)
            continue;
        taken.emplace_back(all.address[i], ends(i));
    }
    std::ranges::sort(taken);
    return taken;
}

} // namespace

TakenEnds::TakenEnds(const DeviceTrace& device) : m_all{device.allocations()}
{
    for (const EndBlock& block : device.endBlocks()) {
        const std::uint32_t allocation = block.allocation;
        if (allocation != kNone && m_all.address[allocation] == block.address
            && block.bytes >= m_all.bytes[allocation])
            m_ofBlocks.emplace(allocation, block.address + static_cast<std::uint64_t>(block.bytes));
    }
}

std::uint64_t TakenEnds::operator()(std::uint32_t allocation) const
{
    if (const auto at = m_ofBlocks.find(allocation); at != m_ofBlocks.end())
        return at->second;
    const auto bytes = static_cast<std::uint64_t>(m_all.bytes[allocation]);
    return m_all.address[allocation] + (bytes + kLeastGap - 1) / kLeastGap * kLeastGap;
}

std::size_t endStateBegin(const DeviceTrace& device)
{
    if (!device.hasEnd() || device.endBlocks().empty())
        return device.stepCount();
    std::size_t step = device.eventCount();
    while (step > 0 && device.action(static_cast<EventIndex>(step - 1)) >= Action::OutOfMemory)
        --step;
    return step;
}

Gaps gapsAt(const DeviceTrace& device, std::span<const std::uint32_t> live, std::size_t step)
{
    const std::vector<Segment> segments = segmentsAt(device, step);
    if (step >= endStateBegin(device))
        return {true, idleBlocks(device, segments)};
    const auto taken = takenBy(device, live);
    Gaps found;
    auto next = taken.begin();
    std::uint64_t covered = 0; // by what has been passed, maybe into the next segment
    for (const Segment& segment : segments) {
        std::uint64_t at = std::max(segment.address, covered);
        const auto addUntil = [&](std::uint64_t until) {
            if (until >= at + kLeastGap)
                found.gaps.push_back({base::Bytes{static_cast<std::int64_t>(until - at)}, segment});
        };
        while (next != taken.end() && next->second <= segment.address)
            ++next;
        for (; next != taken.end() && next->first < endOf(segment); ++next) {
            addUntil(next->first);
            at = std::max(at, next->second);
        }
        covered = at;
        addUntil(endOf(segment));
    }
    return found;
}

GapFigures figuresOf(const Gaps& gaps)
{
    GapFigures figures;
    figures.gaps = gaps.gaps.size();
    for (const Gap& gap : gaps.gaps) {
        figures.idle += gap.bytes;
        figures.largest = std::max(figures.largest, gap.bytes);
    }
    return figures;
}

} // namespace plimsoll::memtrace
