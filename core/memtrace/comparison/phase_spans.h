// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/build_timeline.h"
#include "core/memtrace/memory_trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// A part of a recording that belongs to one phase, by positions on the device's axis.
struct PhaseSpan
{
    std::string name; ///< empty: no phase is known there
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t length() const { return end - begin; }
    bool operator==(const PhaseSpan&) const = default;
};

/// A device's axis is divided into at most this many; what follows is one without a name.
inline constexpr std::size_t kMostPhaseSpans = 1000;

/// Divides axisPositions() into phases: consecutive spans from 0 to the end, none of length 0.
/// Phases are the device's annotations and those within them, the inner ones first; outside of
/// annotations forward, backward and optimizer, from stepPhases(), except those of which the
/// recording has annotations.
[[nodiscard]] std::vector<PhaseSpan> phaseSpans(const MemoryTrace& trace, const DeviceTrace& device,
                                                Axis axis);

/// The name by which phases of two recordings are the same: without the number that tells the
/// steps of a training apart, as in "ProfilerStep#12".
[[nodiscard]] std::string phaseKey(const std::string& name);

} // namespace plimsoll::memtrace
