// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/fault.h"
#include "core/plan/plan.h"

namespace plimsoll::plan::verifying {

/// The problem as one process of several has it, worked out from the recorded step and the setting
/// alone (PARALLEL.md); a problem of a process by itself as it is.
[[nodiscard]] Problem ofOneProcess(const Problem& problem);

/// What a plan asks for that can't be under data parallel.
[[nodiscard]] std::vector<Fault> parallelFaults(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan::verifying
