// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/plan/plan.h"

namespace plimsoll::cli {

/// What `inspect --accesses` adds: the values that wait for backward, and what they could spare.
void addAccesses(Answer& answer, const plan::Problem& problem);

} // namespace plimsoll::cli
