// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parallel/communication.h"
#include "core/plan/plan.h"
#include "core/plan/schedule.h"

namespace plimsoll::plan {

/// communicate() for units of fully_shard(), ZeRO-2 and ZeRO-3 (TIMES OF SHARDS in PARALLEL.md).
[[nodiscard]] Communication communicateShards(const Problem& problem, const Schedule& schedule,
                                              const std::vector<base::Nanoseconds>& times);

} // namespace plimsoll::plan
