// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/limits.h"
#include "core/device/device.h"
#include "core/graph/program.h"
#include "core/plan/data_parallel.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan {

/// What executes a plan; evaluate() charges exactly this one.
enum class Runtime : std::uint8_t {
    CheckpointedModule, ///< non-reentrant torch.utils.checkpoint around regions of forward
                        ///< (LIFETIMES.md)
    CompiledStep,       ///< plimsoll.compile_step(): the recorded ops one by one, some again
                        ///< (STEP_RUNTIME.md)
};

/// Where regions may begin and end.
enum class Granularity : std::uint8_t {
    Module, ///< between calls of modules
    Op,     ///< between any two ops of forward and loss
};

/// One checkpointed function. At granularity Module consecutive calls of modules, run as
/// `y = member_n(… member_1(x))`: `first..last` are the forward ops of all members, in order and
/// without gaps. At granularity Op just the ops `first..last`. Legal regions: REGIONS in
/// LIFETIMES.md.
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

/// Regions that may lie in each other: a checkpoint takes several of the thousand frames that
/// Python has, the recomputations of all regions around another one run in each other.
inline constexpr std::size_t kMostNested = 40;

/// Ops that the runtime Step executes once more, in this order, right before op `before`. One that
/// hasn't run by then runs there for the first time, and not at its place.
struct RecomputeStep
{
    graph::OpIndex before = 0;
    std::vector<graph::OpId> ops; ///< rising

    bool operator==(const RecomputeStep&) const = default;
};

/// Decisions, no numbers: what a planner returns and a plan file holds.
struct Plan
{
    std::string planner;                                      ///< id of the planner that made it
    std::vector<std::pair<std::string, std::string>> options; ///< all of that planner's
    Runtime runtime = Runtime::CheckpointedModule;
    Granularity granularity = Granularity::Module;
    std::vector<Region> regions; ///< outermost ones, disjoint, in order; none at runtime Step
    std::vector<RecomputeStep> recomputeSteps; ///< rising `before`; none but at runtime Step
    /// Recomputations leave batch norm's running statistics and counters alone. At runtime Step
    /// they always do, so that it is not said there.
    bool freezeStats = false;

    /// Whether no op runs a second time.
    [[nodiscard]] bool recomputesNothing() const
    {
        return regions.empty() && recomputeSteps.empty();
    }

    /// Outermost regions, or ops before which others run again: what lists of plans count.
    [[nodiscard]] std::size_t decisionCount() const
    {
        return regions.size() + recomputeSteps.size();
    }

    bool operator==(const Plan&) const = default;
};

/// A budget that everything fits.
inline constexpr base::Bytes kUnlimited{base::kHuge};

enum class PinKind : std::uint8_t {
    Keep,      ///< the values are computed once
    Recompute, ///< the values of forward are not in memory when backward begins
};

/// What the user decided about some values, whatever a planner would say (pins.h).
struct Pin
{
    PinKind kind = PinKind::Keep;
    std::string glob;
    std::vector<graph::StorageId> storages; ///< what it means in the program, rising

    bool operator==(const Pin&) const = default;
};

/// A gradient that the processes of a data parallel step reduce.
struct ReducedGradient
{
    std::size_t parameter = 0; ///< index into Program::parameters
    graph::StorageId storage;  ///< as recorded
    base::Bytes bytes;
    graph::OpIndex ready = 0; ///< op of backward behind which DDP's hook runs
    std::uint32_t dtype = 0;  ///< index into Program::dtypes

    bool operator==(const ReducedGradient&) const = default;
};

/// A unit of fully_shard: parameters that are gathered together (UNITS in PARALLEL.md).
struct ShardUnit
{
    std::string path;                    ///< of its module; "" of the root
    bool isRoot = false;                 ///< what no other unit has
    std::vector<std::size_t> parameters; ///< indices into Program::parameters
    std::vector<std::size_t> gradients;  ///< indices into Parallel::gradients
    base::Bytes gathered;                ///< its parameters, padded for all processes
    base::Bytes reduced;                 ///< its gradients, padded
    std::vector<std::pair<graph::OpIndex, graph::OpIndex>> calls; ///< in forward, both inclusive
    graph::OpIndex backward = graph::kNever; ///< first op of its backward; kNever: there is none
    graph::OpIndex reduce = graph::kNever;   ///< op behind which its gradients are reduced
    /// Storages of the process's step that move with what a plan repeats (shard_lives.h).
    std::optional<graph::StorageId> prefetched, regathered, reducing;
};

/// What makes a problem that of one process of several (rank_program.h).
struct Parallel
{
    DataParallel setting;
    graph::ProgramPtr recorded;             ///< the step as it was recorded, of a process by itself
    std::vector<ReducedGradient> gradients; ///< in the order of readiness
    std::vector<std::vector<std::size_t>> buckets; ///< of DDP: indices into `gradients`
    std::vector<ShardUnit> units; ///< of ZeRO-2 and ZeRO-3, the root first, then as forward begins
                                  ///< them; then there are no buckets
};

/// What is asked: which step, on which device, within how many bytes.
struct Problem
{
    graph::ProgramPtr program;
    Device device;
    base::Bytes budget;  ///< all device bytes, the reserve included
    base::Bytes reserve; ///< context and workspaces, charged during the whole step
    graph::Rounding rounding = graph::Rounding::Cuda512;
    std::vector<Pin> pins = {}; ///< no two of which conflict
    /// Of one process of several; then `program` is its step: the recorded ops, and what their
    /// memory is there. Set by forRank() only.
    std::shared_ptr<const Parallel> parallel = nullptr;
};

} // namespace plimsoll::plan
