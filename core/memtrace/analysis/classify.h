// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"
#include "core/memtrace/analysis/step_phases.h"
#include "core/memtrace/memory_trace.h"
#include "core/timeline/layers.h"

#include <cstdint>
#include <vector>

namespace plimsoll::memtrace {

/// What an allocation of a training is for, as far as its recording tells.
enum class MemoryClass : std::uint8_t {
    Before,  ///< parameters, buffers, optimizer state … from before the recording
    Lasting, ///< the same, allocated in it: parameters, inputs that every step uses
    OptimizerState,
    Gradients,
    Activations,
    Temporaries,
    NotKnown,
};
inline constexpr std::size_t kMemoryClassCount = 7;
[[nodiscard]] const char* className(MemoryClass memoryClass);

/// What decided an allocation's class.
enum class ClassRule : std::uint8_t {
    BeforeRecording,
    OutlivesOptimizer,
    FreedByOptimizer,
    OutlivesBackward,
    FreedInBackward,
    SurvivesIntoBackward,
    LivesThroughSteps,
    FreedInForward,
    FailsBeforeBackward,
    AsInBackwardBefore, ///< the backward was cut off; the one before tells
    FailsInBackward,    ///< nothing tells whether it would have lived on
    ToldByFile,
    NoPhase, ///< the recording doesn't tell in which phase it was made
};
/// A sentence.
[[nodiscard]] const char* ruleText(ClassRule rule);

/// By allocation.
struct Classes
{
    base::Column<std::uint8_t> classOf; ///< MemoryClass
    base::Column<std::uint8_t> ruleOf;  ///< ClassRule

    [[nodiscard]] MemoryClass classAt(std::size_t allocation) const
    {
        return static_cast<MemoryClass>(classOf[allocation]);
    }
    [[nodiscard]] ClassRule ruleAt(std::size_t allocation) const
    {
        return static_cast<ClassRule>(ruleOf[allocation]);
    }
};

/// By rules, from stepPhases() and from when allocations are freed. A class that the recording
/// names itself, as our own tables of allocations do, goes before all rules. `phases`: of
/// stepPhases().
[[nodiscard]] Classes classify(const MemoryTrace& trace, const DeviceTrace& device,
                               const std::vector<StepPhase>& phases);
[[nodiscard]] Classes classify(const MemoryTrace& trace, const DeviceTrace& device);

/// A layer for each class, bottom to top in the order of MemoryClass.
[[nodiscard]] const timeline::LayersPtr& classLayers();

} // namespace plimsoll::memtrace
