// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/gaps.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace plimsoll::memtrace {

namespace {

constexpr std::uint64_t kRounding = 512;

/// Addresses begin..end - 1.
struct Piece
{
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool isExpandable = false;
};

std::vector<Piece> reservedAt(const DeviceTrace& device, std::size_t step)
{
    std::vector<Piece> pieces;
    for (const Segment& segment : device.segments()) {
        const std::size_t first = segment.begin + 1; // kNoEvent + 1 is 0
        const bool hasEnded = segment.end != kNoEvent && segment.end < step;
        if (static_cast<std::uint32_t>(first) <= step && !hasEnded && segment.bytes > 0)
            pieces.push_back({segment.address,
                              segment.address + static_cast<std::uint64_t>(segment.bytes),
                              segment.isExpandable});
    }
    std::ranges::sort(pieces, {}, &Piece::begin);
    std::vector<Piece> joined;
    for (const Piece& piece : pieces) {
        const bool continues = !joined.empty() && joined.back().isExpandable && piece.isExpandable
                               && piece.begin <= joined.back().end;
        if (continues)
            joined.back().end = std::max(joined.back().end, piece.end);
        else
            joined.push_back(piece);
    }
    return joined;
}

} // namespace

GapFigures gapsAt(const DeviceTrace& device, const timeline::Timeline& timeline, std::size_t step)
{
    const std::vector<timeline::Interval>& intervals = timeline.intervals();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> used;
    for (const std::uint32_t index : timeline.aliveAt(step)) {
        const std::uint64_t begin = device.allocations().address[intervals[index].origin];
        if (begin == kNoAddress)
            continue;
        const auto bytes = static_cast<std::uint64_t>(intervals[index].bytes.count());
        used.emplace_back(begin, begin + (bytes + kRounding - 1) / kRounding * kRounding);
    }
    std::ranges::sort(used);
    GapFigures figures;
    auto next = used.begin();
    const auto addGap = [&](std::uint64_t begin, std::uint64_t end) {
        if (begin >= end)
            return;
        const base::Bytes bytes{static_cast<std::int64_t>(end - begin)};
        figures.idle += bytes;
        figures.largest = std::max(figures.largest, bytes);
        ++figures.gaps;
    };
    for (const Piece& piece : reservedAt(device, step)) {
        figures.reserved += base::Bytes{static_cast<std::int64_t>(piece.end - piece.begin)};
        std::uint64_t at = piece.begin;
        while (next != used.end() && next->second <= at)
            ++next;
        for (; next != used.end() && next->first < piece.end; ++next) {
            addGap(at, std::min(next->first, piece.end));
            at = std::max(at, next->second);
            if (next->second > piece.end)
                break; // it goes on in the next piece
        }
        addGap(at, piece.end);
    }
    return figures;
}

} // namespace plimsoll::memtrace
