// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parallel/communication.h"
#include "core/plan/plan.h"
#include "core/plan/schedule.h"

#include <vector>

namespace plimsoll::plan {

/// Requires a problem that is one of several processes; `times` by op.
[[nodiscard]] Communication communicate(const Problem& problem, const Schedule& schedule,
                                        const std::vector<base::Nanoseconds>& times);

} // namespace plimsoll::plan
