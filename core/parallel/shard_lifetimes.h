// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan/schedule.h"

#include <cstdint>
#include <vector>

namespace plimsoll::plan {

/// Of each unit of fully_shard(), by step of a schedule; kNoStep where it doesn't happen.
struct UnitSteps
{
    static constexpr std::int32_t kNoStep = INT32_MAX;
    std::int32_t backward = kNoStep;   ///< its backward begins, with what it has recomputed
    std::int32_t regathered = kNoStep; ///< its parameters must be there from then on
    std::int32_t repeated = kNoStep;   ///< a recomputation gets to it, before its backward
    std::int32_t late = kNoStep; ///< … or behind it: then it stays until all of backward is over
};

/// When a plan's step needs the units of ZeRO-3 again; the same indices as Parallel::units.
[[nodiscard]] std::vector<UnitSteps> unitSteps(const Problem& problem, const Schedule& schedule);

/// Has gathered parameters and what is reduced live as the plan's step has it: no recomputation
/// gathers what backward will need anyway, it has it gathered earlier.
void placeShards(const Problem& problem, Schedule& schedule);

} // namespace plimsoll::plan
