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

/// The rows of Plan::recomputeSteps that execute a schedule. Nothing if an op that it needs once
/// more can't be recomputed.
using SequenceRows =
    std::function<std::optional<std::vector<plan::RecomputeStep>>(const Sequence& sequence)>;

/// Turns schedules of a step's chain into plans for the runtime Step, whatever they drop in
/// between: each run of forwards before a stage's backward becomes a row there. Only those of its
/// ops run whose results are needed: what backward uses of the stages that save in it, and what is
/// needed to compute that from what the schedule keeps. `closure` and `step` must outlive it.
/// `kept`: storages that are never dropped.
[[nodiscard]] SequenceRows sequenceRows(const graph::Program& program,
                                        const RecomputeClosure& closure, const LinearizedStep& step,
                                        const std::set<graph::StorageId>& kept);

/// Receives the rows of a plan for the runtime Step; an error ends the search.
using RowsOffer = std::function<base::Result<void>(std::vector<plan::RecomputeStep>)>;

/// Proposes those of the optimal schedules of a step's chains, at every budget, that drop a value
/// while keeping what a later stage saved (checkpointing.md 2), which rotor's persistent schedules
/// can't. Chains of few and of many stages, with both ways to charge for values that cross several
/// cuts. `slots`: as in RotorOptions. Cancelled if the job was stopped.
[[nodiscard]] base::Result<void> offerNonPersistent(const plan::Problem& problem,
                                                    const RegionSpace& space, int slots,
                                                    const base::JobContext& job,
                                                    const RowsOffer& offer);

} // namespace plimsoll::solve
