// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/limits.h"
#include "core/device/device.h"
#include "core/graph/program.h"
#include "core/plan/data_parallel.h"
#include "core/plan/decisions.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::plan {

/// Decisions, no numbers: what a planner returns and a plan file holds. plan_kinds.h describes what
/// the two kinds have in common and how they differ.
struct Plan
{
    std::string planner;                                          ///< id of the planner
    std::vector<std::pair<std::string, std::string>> options;     ///< all of its options
    std::variant<CheckpointRegions, RecomputeSchedule> decisions; ///< in the order of Runtime

    [[nodiscard]] Runtime runtime() const { return static_cast<Runtime>(decisions.index()); }
    [[nodiscard]] bool isCompiledStep() const { return runtime() == Runtime::CompiledStep; }

    /// For a plan of the other kind, the values of one that recomputes nothing.
    [[nodiscard]] const std::vector<Region>& regions() const
    {
        return get<CheckpointRegions>().regions;
    }
    [[nodiscard]] Granularity granularity() const { return get<CheckpointRegions>().granularity; }
    [[nodiscard]] bool freezeStats() const { return get<CheckpointRegions>().freezeStats; }
    [[nodiscard]] const std::vector<RecomputeStep>& recomputeSteps() const
    {
        return get<RecomputeSchedule>().recomputeSteps;
    }

    /// For writing; a plan of the other kind loses its decisions.
    [[nodiscard]] CheckpointRegions& asRegions() { return as<CheckpointRegions>(); }
    [[nodiscard]] RecomputeSchedule& asSchedule() { return as<RecomputeSchedule>(); }

    /// Whether every op runs only once.
    [[nodiscard]] bool recomputesNothing() const { return decisionCount() == 0; }

    /// Number of outermost regions, or of ops before which others are recomputed.
    [[nodiscard]] std::size_t decisionCount() const
    {
        return regions().size() + recomputeSteps().size();
    }

    bool operator==(const Plan&) const = default;

private:
    template <typename Kind>
    [[nodiscard]] const Kind& get() const
    {
        static const Kind kNothing;
        const Kind* kind = std::get_if<Kind>(&decisions);
        return kind != nullptr ? *kind : kNothing;
    }

    template <typename Kind>
    [[nodiscard]] Kind& as()
    {
        Kind* kind = std::get_if<Kind>(&decisions);
        return kind != nullptr ? *kind : decisions.emplace<Kind>();
    }
};

/// A budget that everything fits.
inline constexpr base::Bytes kUnlimited{base::kHuge};

enum class PinKind : std::uint8_t {
    Keep,      ///< the values are computed once
    Recompute, ///< the values of forward are not in memory when backward begins
};

/// A user's decision about some values, which every planner honours (pins.h).
struct Pin
{
    PinKind kind = PinKind::Keep;
    std::string glob;
    std::vector<graph::StorageId> storages; ///< the values in the program, rising

    bool operator==(const Pin&) const = default;
};

/// A gradient that data parallel training reduces.
struct ReducedGradient
{
    std::size_t parameter = 0; ///< index into Program::parameters
    graph::StorageId storage;  ///< as recorded
    base::Bytes bytes;
    graph::OpIndex ready = 0; ///< op of backward after which DDP's hook runs
    std::uint32_t dtype = 0;  ///< index into Program::dtypes

    bool operator==(const ReducedGradient&) const = default;
};

/// A unit of fully_shard: parameters that are gathered together (UNITS in PARALLEL.md).
struct ShardUnit
{
    std::string path;                    ///< of its module; "" for the root
    bool isRoot = false;                 ///< has what no other unit has
    std::vector<std::size_t> parameters; ///< indices into Program::parameters
    std::vector<std::size_t> gradients;  ///< indices into Parallel::gradients
    base::Bytes gathered;                ///< its parameters, padded for all ranks
    base::Bytes reduced;                 ///< its gradients, padded
    std::vector<std::pair<graph::OpIndex, graph::OpIndex>> calls; ///< in forward, both inclusive
    graph::OpIndex backward = graph::kNever; ///< first op of its backward; kNever: there is none
    graph::OpIndex reduce = graph::kNever;   ///< op after which its gradients are reduced
    /// Storages of the rank's step that move with what a plan recomputes (placeShards()).
    std::optional<graph::StorageId> prefetched, regathered, reducing;
};

/// The part of a problem that makes it one of a rank (rank_program.h).
struct Parallel
{
    DataParallel setting;
    std::vector<ReducedGradient> gradients;        ///< in the order in which they become ready
    std::vector<std::vector<std::size_t>> buckets; ///< for DDP: indices into `gradients`
    std::vector<ShardUnit> units; ///< for ZeRO-2 and ZeRO-3, the root first, then in the order of
                                  ///< forward; there are no buckets then
};

/// The input of planning: which step, on which device, within which budget.
struct Problem
{
    /// The step that is planned, lowered, replayed and shown: the recorded one with everything
    /// applied that the problem changes about its ops or memory.
    [[nodiscard]] const graph::ProgramPtr& step() const { return written ? written : program; }

    graph::ProgramPtr program; ///< the recorded step
    Device device;
    base::Bytes budget;  ///< all device bytes, the reserve included
    base::Bytes reserve; ///< context and workspaces, charged during the whole step
    graph::Rounding rounding = graph::Rounding::Cuda512;
    std::vector<Pin> pins = {}; ///< no two of which conflict
    /// Set for one process of several, by forRank() only.
    std::shared_ptr<const Parallel> parallel = nullptr;
    /// The step of that rank: the recorded ops with the memory that they take there.
    graph::ProgramPtr written = nullptr;
};

} // namespace plimsoll::plan
