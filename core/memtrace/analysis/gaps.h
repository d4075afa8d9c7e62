// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_trace.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace plimsoll::memtrace {

/// Reserved addresses that no allocation has.
struct Gap
{
    base::Bytes bytes;
    /// What reserves it, with what lies side by side in an expandable segment; none: the recording
    /// has a block outside of all segments.
    std::optional<Segment> segment;
};

/// All gaps at one step.
struct Gaps
{
    /// These are the allocator's idle blocks, which a recording has of its end. Otherwise they are
    /// what lies between live allocations, each taken to have what it asked for, rounded up to 512
    /// bytes, unless its block is there at the end: up to 1 MiB behind a large one may be part of
    /// its block, and isn't idle then.
    bool areBlocks = false;
    std::vector<Gap> gaps; ///< by address
};

/// Smaller gaps are the rounding of requests.
inline constexpr std::uint64_t kLeastGap = 512;

/// Where the memory that allocations take ends: of those that are live at the recording's end their
/// block's end, of others at least what they asked for.
class TakenEnds
{
public:
    explicit TakenEnds(const DeviceTrace& device);

    /// Requires that the allocation has an address.
    [[nodiscard]] std::uint64_t operator()(std::uint32_t allocation) const;

private:
    const Allocations& m_all;
    std::unordered_map<std::uint32_t, std::uint64_t> m_ofBlocks;
};
/// The first step that has the state at the recording's end, of which it has the blocks; the number
/// of steps if it has none.
[[nodiscard]] std::size_t endStateBegin(const DeviceTrace& device);

/// `live`: the allocations that are live at the step, in any order.
[[nodiscard]] Gaps gapsAt(const DeviceTrace& device, std::span<const std::uint32_t> live,
                          std::size_t step);

struct GapFigures
{
    base::Bytes idle;
    base::Bytes largest; ///< of the gaps, each in one segment
    std::size_t gaps = 0;

    /// 1 − largest gap / idle bytes: 0 if all idle memory is in one piece, or there is none.
    [[nodiscard]] double fragmentation() const
    {
        return idle.count() > 0
                   ? 1.0 - static_cast<double>(largest.count()) / static_cast<double>(idle.count())
                   : 0.0;
    }
    bool operator==(const GapFigures&) const = default;
};
[[nodiscard]] GapFigures figuresOf(const Gaps& gaps);

} // namespace plimsoll::memtrace
