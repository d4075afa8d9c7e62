// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/classify.h"
#include "core/memtrace/filter/filter.h"
#include "core/memtrace/memory_trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::memtrace {

enum class LiveBy : std::uint8_t {
    Frame,  ///< the stack's top frame, see topFrame()
    Stack,  ///< named after its top frame
    Class,  ///< MemoryClass
    Module, ///< moduleText()
    Stream,
    Pool,
};
/// "frame", "stack", …
[[nodiscard]] std::optional<LiveBy> findLiveBy(std::string_view name);

struct LiveGroup
{
    std::string name;
    base::Bytes bytes; ///< as requested
    std::size_t blocks = 0;
    std::vector<std::string> frames; ///< "file:line:name", innermost first; of Frame and Stack
    std::uint8_t mainLayer = 0;      ///< that most of its bytes are in
    bool operator==(const LiveGroup&) const = default;
};

/// What is live at a step of DeviceTrace::axisTimes().
struct LiveGroups
{
    base::Bytes bytes;
    std::size_t blocks = 0;
    std::vector<LiveGroup> groups; ///< largest first, then by name
};

/// Blocks from before the recording whose stack isn't known are a group of their own, "(before the
/// recording)", where stacks matter. `classes`: of the device. `matches`: only these. `layerOf`: as
/// in Layering, for LiveGroup::mainLayer.
[[nodiscard]] LiveGroups liveGroups(const MemoryTrace& trace, const DeviceTrace& device,
                                    const Classes& classes, std::size_t step, LiveBy by,
                                    const Matches& matches = {},
                                    const base::Column<std::uint8_t>& layerOf = {});

struct LiveBlock
{
    std::uint32_t allocation = 0;
    std::uint32_t group = 0; ///< of LiveGroups::groups
};

/// The blocks of liveGroups(), by allocation. `live`: what that returned for the same arguments.
[[nodiscard]] std::vector<LiveBlock> liveBlocks(const MemoryTrace& trace, const DeviceTrace& device,
                                                const Classes& classes, std::size_t step, LiveBy by,
                                                const LiveGroups& live);

} // namespace plimsoll::memtrace
