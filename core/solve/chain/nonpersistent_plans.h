// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/solve/chain/rotor/sequence.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/recompute_closure.h"
#include "core/solve/regions/region_space.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace plimsoll::solve {

/// Turns schedules of a step's chain into plans for the runtime Step, whatever they let go of in
/// between: each run of forwards in front of a stage's backward becomes a row of
/// Plan::recomputeSteps there. Of its ops only those run whose results are wanted: what backward
/// uses of the stages that save in it, and what leads there from what the schedule has kept.
class SequenceRows
{
public:
    /// `repeats` must outlive it. `kept`: storages that are never let go of.
    SequenceRows(const graph::Program& program, const RecomputeClosure& closure,
                 const LinearizedStep& step, const std::set<graph::StorageId>& kept);

    /// Nothing when an op that the schedule needs again can't be repeated.
    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
    rowsOf(const Sequence& sequence) const;

private:
    /// What the schedule holds, by the stage that it enters.
    struct Held
    {
        std::vector<bool> values; ///< kept as they are
        std::vector<bool> saved;  ///< with all that its stage saved
    };
    /// Forwards that run again in front of a backward.
    struct Run
    {
        std::vector<bool> isGone; ///< by storage, before the run
        std::vector<std::size_t> saving;
    };

    static void forward(ChainOp op, Held& held);
    static void backward(std::size_t stage, Held& held);
    [[nodiscard]] std::vector<bool> goneWith(const Held& held) const;
    [[nodiscard]] std::optional<plan::RecomputeStep> rowOf(const Run& run, std::size_t stage) const;
    [[nodiscard]] bool isUsed(graph::StorageId storage, graph::OpIndex from,
                              graph::OpIndex end) const;

    const RecomputeClosure& m_closure;
    graph::OpIndex m_end;                              ///< of backward
    std::vector<std::vector<graph::StorageId>> m_made; ///< by stage: what forward makes in it
                                                       ///< and may let go of
    std::vector<std::vector<std::size_t>> m_cuts;      ///< by storage: stages that it enters
    std::vector<graph::OpIndex> m_backward; ///< by stage: backward op that first uses something
                                            ///< that stays inside of it; kNever: none does
};

/// Is given the rows of a plan for the runtime Step; an error ends the search.
using RowsOffer = std::function<base::Result<void>(std::vector<plan::RecomputeStep>)>;

/// Offers those of the optimal schedules of a step's chains, at every budget, that let go of a
/// value and keep what a later stage saved (checkpointing.md 2): rotor's are without them. Chains
/// of few stages and of many, with both ways to charge for values that cross several cuts. `slots`:
/// as RotorOptions has it. Cancelled when the job is to stop.
[[nodiscard]] base::Result<void> offerNonPersistent(const plan::Problem& problem,
                                                    const RegionSpace& space, int slots,
                                                    const base::JobContext& job,
                                                    const RowsOffer& offer);

} // namespace plimsoll::solve
