// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/memory_trace.h"

#include <cstdint>
#include <vector>

namespace plimsoll::memtrace {

/// The part of a training step in which an allocation was made.
enum class StepPhase : std::uint8_t { Unknown, Forward, Backward, Optimizer };
inline constexpr std::size_t kStepPhaseCount = 4;

/// By allocation, from its stack: a frame of an optimizer; a frame of autograd's engine, or a stack
/// of one of autograd's threads, in a recording that has Python frames; any other. Autograd's
/// threads have no Python frames, except those of what they call, such as a checkpoint that
/// recomputes forward: these don't begin where the program's threads do. An annotation named after
/// an optimizer's step goes before that. Unknown: from before the recording, or the recording has
/// no Python frames.
[[nodiscard]] std::vector<StepPhase> stepPhases(const MemoryTrace& trace,
                                                const DeviceTrace& device);

/// By stack: whether a function forward() is in it, which is a module's.
[[nodiscard]] std::vector<bool> stacksOfModules(const StackTable& stacks);

} // namespace plimsoll::memtrace
