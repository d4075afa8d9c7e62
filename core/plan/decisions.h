// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// What executes a plan; evaluate() charges exactly this runtime.
enum class Runtime : std::uint8_t {
    CheckpointedModule, ///< non-reentrant torch.utils.checkpoint around regions of forward
                        ///< (LIFETIMES.md)
    CompiledStep,       ///< plimsoll.compile_step(): the recorded ops one by one, some recomputed
                        ///< (STEP_RUNTIME.md)
};

/// Where regions may begin and end.
enum class Granularity : std::uint8_t {
    Module, ///< between calls of modules
    Op,     ///< between any two ops of forward and loss
};

/// One checkpointed function. At granularity Module, consecutive calls of modules, run as `y =
/// member_n(… member_1(x))`: `first..last` are the forward ops of all members, in order and without
/// gaps. At granularity Op, just the ops `first..last`. REGIONS in LIFETIMES.md defines legal
/// regions.
struct Region
{
    std::vector<graph::CallId> members; ///< siblings, in order; empty at granularity Op only
    graph::OpIndex first = 0;
    graph::OpIndex last = 0;
    int label = 0; ///< ordinal among its siblings' labels, as checkpointing.md 3.4 counts
    std::vector<Region> nested;         ///< disjoint, in order, each strictly inside
    std::vector<graph::OpId> save = {}; ///< rising, in no nested region: results that are kept
                                        ///< while the rest of the region is recomputed

    bool operator==(const Region&) const = default;
};

/// Deepest nesting of regions: a checkpoint takes several of the thousand frames that Python has,
/// and the recomputations of nested regions run inside one another.
inline constexpr std::size_t kMostNested = 40;

/// Ops that a compiled step executes once more, in this order, right before op `before`. One that
/// hasn't run by then runs there for the first time, and no longer at its own place.
struct RecomputeStep
{
    graph::OpIndex before = 0;
    std::vector<graph::OpId> ops; ///< rising

    bool operator==(const RecomputeStep&) const = default;
};

/// Functions of forward under checkpoint; runs as a CheckpointedModule.
struct CheckpointRegions
{
    Granularity granularity = Granularity::Module;
    std::vector<Region> regions; ///< outermost ones, disjoint, in order
    bool freezeStats = false;    ///< recomputations leave batch norm's running statistics alone

    bool operator==(const CheckpointRegions&) const = default;
};

/// Single ops that are recomputed; runs as a CompiledStep, which never updates statistics twice.
struct RecomputeSchedule
{
    std::vector<RecomputeStep> recomputeSteps; ///< rising `before`

    bool operator==(const RecomputeSchedule&) const = default;
};

} // namespace plimsoll::plan
