// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/solve/chain/rotor/sequence.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/recompute_closure.h"
#include "core/solve/regions/region_space.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace plimsoll::solve {

/// The rows of Plan::recomputeSteps that execute a schedule. Nothing when an op that it needs again
/// can't be repeated.
using SequenceRows =
    std::function<std::optional<std::vector<plan::RecomputeStep>>(const Sequence& sequence)>;

/// Turns schedules of a step's chain into plans for the runtime Step, whatever they let go of in
/// between: each run of forwards in front of a stage's backward becomes a row there. Of its ops
/// only those run whose results are wanted: what backward uses of the stages that save in it, and
/// what leads there from what the schedule has kept. `closure` and `step` must outlive it.
/// `kept`: storages that are never let go of.
[[nodiscard]] SequenceRows sequenceRows(const graph::Program& program,
                                        const RecomputeClosure& closure, const LinearizedStep& step,
                                        const std::set<graph::StorageId>& kept);

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
