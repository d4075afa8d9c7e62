// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Consecutive stages of a chain.
struct StageRun
{
    std::size_t first = 0;
    std::size_t end = 0; ///< exclusive

    bool operator==(const StageRun&) const = default;
};

/// Chen's greedy division (arXiv 1604.06174, algorithm 3): a run ends with the stage at which it
/// keeps more than `limit`. The runs cover all stages; the last one is the remainder. `kept`: bytes
/// by stage.
[[nodiscard]] std::vector<StageRun> chenRuns(const std::vector<std::int64_t>& kept,
                                             std::int64_t limit);

/// Every distinct result of chenRuns(), by rising limit from 0. The last one is a single run.
[[nodiscard]] std::vector<std::vector<StageRun>>
everyChenDivision(const std::vector<std::int64_t>& kept);

/// The planner "chen": every division of everyChenDivision() of the step as a chain, each evaluated
/// on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeChenPlanner();

} // namespace plimsoll::solve
