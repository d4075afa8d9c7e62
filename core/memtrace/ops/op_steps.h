// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/ops/op_recording.h"

#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// A part of a recording that is one step of a training.
struct OpStep
{
    std::string name;       ///< "ProfilerStep#3", or "step 3 of 3"; "the whole recording"
    std::int64_t begin = 0; ///< as spans; a span that begins at `end` is not part of it
    std::int64_t end = 0;
};

/// In their order; at least one. Steps are the ranges "ProfilerStep#3" of PyTorch's profiler;
/// without them the outermost other ranges with a number; without those what lies between the ends
/// of PyTorch's optimizers; without optimizers all of the recording.
[[nodiscard]] std::vector<OpStep> opSteps(const OpRecording& recording);

/// What a span is part of.
enum class OpPhase : std::uint8_t { Forward, Backward, Optimizer };

/// By span: within a function of the autograd engine or the step of an optimizer, as PyTorch names
/// them; anything else counts as forward.
[[nodiscard]] std::vector<OpPhase> opPhases(const OpRecording& recording);

} // namespace plimsoll::memtrace
