// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/plan/plan.h"

namespace plimsoll::cli {

/// The part of `inspect --accesses`: the values saved for backward, and what they could free.
void addAccesses(Answer& answer, const plan::Problem& problem);

} // namespace plimsoll::cli
