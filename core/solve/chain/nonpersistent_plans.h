// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/solve/regions/region_space.h"

#include <functional>
#include <vector>

namespace plimsoll::solve {

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
