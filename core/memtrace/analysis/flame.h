// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/build_timeline.h"
#include "core/memtrace/filter/filter.h"
#include "core/memtrace/memory_trace.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// A function, below those that called it.
struct FlameNode
{
    std::string name;  ///< "file:line:function"; the root's is "all"
    double weight = 0; ///< bytes times nanoseconds, of itself and what it called
    std::size_t blocks = 0;
    std::uint8_t mainLayer = 0; ///< that most of its weight is in
    std::uint32_t parent = kNone;
    std::uint32_t depth = 0;             ///< the root's is 0
    std::vector<std::uint32_t> children; ///< largest first
};

/// What memory costs by who asked for it: each allocation counts its bytes for as long as it lives
/// in a range of steps. Node 0 is the root; parents come before their children. Stacks consist of
/// their Python frames, outermost first; those without one of the op that a graph tells, or are
/// "(before the recording)" or "(no Python frame)".
struct Flame
{
    std::vector<FlameNode> nodes;
    timeline::LayersPtr layers; ///< of FlameNode::mainLayer
};

/// From step `first` to the end of step `last` of DeviceTrace::axisTimes(). `layering`: not
/// empty.
[[nodiscard]] Flame flameOf(const MemoryTrace& trace, const DeviceTrace& device,
                            const Layering& layering, std::size_t first, std::size_t last,
                            const Matches& matches = {});

} // namespace plimsoll::memtrace
