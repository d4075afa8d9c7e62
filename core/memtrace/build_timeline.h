// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"
#include "core/memtrace/memory_trace.h"
#include "core/timeline/timeline.h"

#include <cstdint>
#include <functional>

namespace plimsoll::memtrace {

enum class Axis : std::uint8_t {
    Time,
    Events, ///< positions count the recording's own events: after k of them, a step begins at k
};

/// How allocations become layers of the stacked area.
struct Layering
{
    timeline::LayersPtr layers;
    base::Column<std::uint8_t> layerOf; ///< by allocation
};

/// Where each step of a device begins on an axis, and the end: DeviceTrace::axisTimes(), or how
/// many recorded events are over.
[[nodiscard]] timeline::Times axisPositions(const DeviceTrace& device, Axis axis);

/// A device's live allocations over steps that begin at these positions, stepCount() and the end;
/// without bands and marks.
[[nodiscard]] timeline::TimelinePtr
buildTimeline(const DeviceTrace& device, timeline::Times positions, const Layering& layering);

/// What all views of a device draw: its live allocations over DeviceTrace::axisTimes(), where step
/// 0 is the state before the first event and step i + 1 that after event i. Interval::origin is the
/// allocation. Annotations of the device, and those within them, become bands; the peak, failed
/// allocations and snapshots become marks. `keeps` selects allocations; null: all.
[[nodiscard]] timeline::TimelinePtr
buildTimeline(const MemoryTrace& trace, const DeviceTrace& device, const Layering& layering,
              Axis axis, const std::function<bool(std::uint32_t allocation)>& keeps = {});

/// The step during which a time lies, and the last one of several that begin at it.
[[nodiscard]] std::size_t stepAtTime(const DeviceTrace& device, base::Nanoseconds time);

} // namespace plimsoll::memtrace
