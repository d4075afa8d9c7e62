// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <vector>

namespace plimsoll::plan {

/// Sentences about parameters whose gradient hooks may fire more than once in a step, which DDP's
/// automatic reduction doesn't support (HOOKS in PARALLEL.md): those used in several regions of the
/// plan, or in several calls of the model.
[[nodiscard]] std::vector<std::string> hookWarnings(const Problem& problem, const Plan& plan);

} // namespace plimsoll::plan
