// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <vector>

namespace plimsoll::solve {

/// Chooses results to keep inside the regions of a plan (SAVED SETS in
/// core/lower/checkpoint/LIFETIMES.md): greedily those whose recomputation takes most time for
/// their bytes, judged on the full graph.
class SavedSets
{
public:
    /// `problem.budget` is not looked at.
    explicit SavedSets(const plan::Problem& problem);

    /// The plan with as much kept as its peak allows; at most a few dozen evaluations.
    [[nodiscard]] plan::Plan fill(plan::Plan plan, base::Bytes peak) const;

private:
    const plan::Problem& m_problem;
    std::vector<double> m_density; ///< by op: nanoseconds of its execution by byte of its results;
                                   ///< 0: they can't be kept, or aren't worth it
};

} // namespace plimsoll::solve
