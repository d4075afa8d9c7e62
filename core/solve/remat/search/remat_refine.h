// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/remat/search/remat_search.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace plimsoll::solve {

/// Sums of the same times in another order differ by less than this factor.
constexpr double kSameTime = 1.0 + 1e-9;

/// How far a refinement goes.
struct RematEffort
{
    std::size_t work = 0;      ///< changes of the profile, at most
    double enough = 0;         ///< time that no plan beats
    std::size_t patience = 50; ///< changes without a gain, for each pair of repetitions
    std::size_t rungs = 1;     ///< steps in which the memory comes down to the budget
};

/// Brings the search's plan within a budget and makes it faster, round by round; on the way it may
/// pass through plans that are a little slower. `faster` is called with each plan that is faster
/// than all before in the search. False: nothing within the budget was found, and the search's plan
/// is another one.
bool refineRemat(RematSearch& search, std::int64_t budget, const RematEffort& effort,
                 const base::JobContext& job, const std::function<void()>& faster = {});

} // namespace plimsoll::solve
