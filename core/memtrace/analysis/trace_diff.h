// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/live_groups.h"

#include <cstddef>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// What is live at a step of DeviceTrace::axisTimes(): one side of a comparison.
struct DiffSide
{
    const MemoryTrace& trace;
    const DeviceTrace& device;
    std::size_t step = 0;
};

struct BlockSum
{
    base::Bytes bytes; ///< as requested
    std::size_t blocks = 0;

    bool operator==(const BlockSum&) const = default;
    BlockSum& operator+=(const BlockSum& other)
    {
        bytes += other.bytes;
        blocks += other.blocks;
        return *this;
    }
    /// Requires that `part` is a part of it.
    [[nodiscard]] BlockSum operator-(const BlockSum& part) const
    {
        return {bytes - part.bytes, blocks - part.blocks};
    }
};

struct DiffGroup
{
    std::string name;
    std::vector<std::string> frames; ///< as LiveGroup's
    BlockSum a;
    BlockSum b;
    /// Blocks that both sides have: as many of each size as the side with fewer of them.
    BlockSum common;

    [[nodiscard]] base::Bytes delta() const { return b.bytes - a.bytes; }
    [[nodiscard]] BlockSum onlyA() const { return a - common; }
    [[nodiscard]] BlockSum onlyB() const { return b - common; }
    bool operator==(const DiffGroup&) const = default;
};

struct TraceDiff
{
    BlockSum a;
    BlockSum b;
    BlockSum onlyA;
    BlockSum common; ///< of all groups
    BlockSum onlyB;
    std::vector<DiffGroup> groups; ///< largest difference first, then by name
};

/// Groups are the same if their names and frames are.
[[nodiscard]] TraceDiff diffTraces(const DiffSide& a, const DiffSide& b, LiveBy by);

} // namespace plimsoll::memtrace
