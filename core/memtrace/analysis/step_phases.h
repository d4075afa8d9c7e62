// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/memory_trace.h"

#include <cstdint>
#include <vector>

namespace plimsoll::memtrace {

/// The part of a training step in which an allocation was made.
enum class StepPhase : std::uint8_t { Unknown, Forward, Backward, Optimizer };
inline constexpr std::size_t kStepPhaseCount = 4;

/// By allocation, from its stack: a frame of an optimizer; none of Python, or one of autograd's
/// engine, in a recording that has Python frames (autograd's threads have none); any other. An
/// annotation named after an optimizer's step goes before that. Unknown: from before the recording,
/// or the recording has no Python frames.
[[nodiscard]] std::vector<StepPhase> stepPhases(const MemoryTrace& trace,
                                                const DeviceTrace& device);

} // namespace plimsoll::memtrace
