// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/build_timeline.h"
#include "core/memtrace/filter/filter.h"

#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll::memtrace {

/// What the layers of the stacked area are.
enum class Grouping : std::uint8_t { Class, Stream, Pool, Frame, Phase };
inline constexpr std::size_t kGroupingCount = 5;
/// "class", "stream", "pool", "frame", "phase".
[[nodiscard]] const char* groupingName(Grouping grouping);
[[nodiscard]] std::optional<Grouping> findGrouping(std::string_view name);

/// Analyses of a device, by allocation.
struct AllocationFacts
{
    Classes classes;
    Phases phases;
    Matches matches; ///< of the user's filter
};

/// By class: those of classLayers() that something is in. Else a layer for each group, largest at
/// the peak first. Where there are more groups than layers, the smallest ones share the last, which
/// says so. What the filter leaves out is a layer by itself on top, "Left out by the filter", so
/// that the sum stays that of all.
[[nodiscard]] Layering layeringOf(const MemoryTrace& trace, const DeviceTrace& device,
                                  const AllocationFacts& facts, Grouping grouping);

} // namespace plimsoll::memtrace
