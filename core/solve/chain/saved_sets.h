// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <vector>

namespace plimsoll::solve {

/// Chooses results to keep inside the regions of a plan (SAVED SETS in
/// core/lower/checkpoint/LIFETIMES.md): greedily those with the largest recomputation time per
/// byte, evaluated on the full graph.
class SavedSets
{
public:
    /// Ignores `problem.budget`.
    explicit SavedSets(const plan::Problem& problem);

    /// The plan with as many saved results as its peak allows; takes at most a few dozen
    /// evaluations.
    [[nodiscard]] plan::Plan fill(plan::Plan plan, base::Bytes peak) const;

private:
    const plan::Problem& m_problem;
    std::vector<double> m_density; ///< by op: nanoseconds of its execution per byte of its results;
                                   ///< 0: not worth keeping, or impossible
};

} // namespace plimsoll::solve
