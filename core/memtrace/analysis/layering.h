// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/build_timeline.h"

#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll::memtrace {

/// What the layers of the stacked area are.
enum class Grouping : std::uint8_t { Class, Stream, Pool, Frame };
inline constexpr std::size_t kGroupingCount = 4;
/// "class", "stream", "pool", "frame".
[[nodiscard]] const char* groupingName(Grouping grouping);
[[nodiscard]] std::optional<Grouping> findGrouping(std::string_view name);

/// Streams are pointers: they are numbered from 1 on in the order in which the recording has them;
/// 0 is the default stream.
[[nodiscard]] std::size_t streamNumber(const DeviceTrace& device, std::uint64_t stream);

/// By class: classLayers(). Else a layer for each group, largest at the peak first. Where there are
/// more groups than layers, the smallest ones share the last, which says so.
[[nodiscard]] Layering layeringOf(const MemoryTrace& trace, const DeviceTrace& device,
                                  Grouping grouping);

} // namespace plimsoll::memtrace
