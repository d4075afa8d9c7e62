// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/waterfall/step_match.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::waterfall {

/// What a graph of the model tells about a recorded allocation.
struct ToldAllocation
{
    std::string tensor; ///< plan::storageText()
    std::string shape;  ///< plan::shapeText()
    std::string op;     ///< that makes it: "aten.gelu"
    std::string module; ///< its path; empty: outside of any
    std::string source; ///< "model.py:12": the line whose forward it belongs to; empty: not known
    std::string phase;  ///< "forward", "loss", "backward", "optimizer"
    bool isRecomputed = false;
    std::string why; ///< plan::whyLive()
};

/// Which recorded allocations of a device a graph of the model knows: those of steps that agree
/// with the predicted one by order and size, up to where an allocation fails, and that recompute
/// what it does. What one side keeps for backward and the other doesn't stays unknown. Immutable.
struct NamedAllocations
{
    compare::PredictedStep predicted;
    std::vector<std::uint32_t> instanceOf; ///< by allocation; memtrace::kNone: not known
    std::size_t steps = 0;                 ///< of the recording: see recordedSteps()
    std::size_t agreeing = 0;              ///< of them that are the predicted step
    std::size_t allocations = 0;           ///< that the agreeing steps make
    std::size_t known = 0;                 ///< of them

    [[nodiscard]] bool isKnown(std::size_t allocation) const
    {
        return instanceOf[allocation] != memtrace::kNone;
    }
    /// Requires isKnown().
    [[nodiscard]] ToldAllocation told(std::size_t allocation) const;
    /// "1443 of 1500 allocations in 3 of 3 steps are known from the graph".
    [[nodiscard]] std::string countsText() const;
};
using NamedAllocationsPtr = std::shared_ptr<const NamedAllocations>;

/// An error of kind File if the recording isn't one of the step that the plan predicts: see
/// checkStep() and Lifetimes::areOfAnotherPlan().
[[nodiscard]] base::Result<NamedAllocationsPtr> nameAllocations(const plan::Problem& problem,
                                                                const plan::Plan& plan,
                                                                const memtrace::MemoryTrace& trace,
                                                                std::size_t device,
                                                                const base::JobContext& job = {});

/// The trace with what the graph knows of its stacks: see memtrace::withGraphFrames().
[[nodiscard]] memtrace::MemoryTracePtr withNames(const memtrace::MemoryTrace& trace,
                                                 std::size_t device, const NamedAllocations& names);

} // namespace plimsoll::waterfall
