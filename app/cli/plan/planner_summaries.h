// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/solve/api/planner.h"

#include <string>

namespace plimsoll::cli {

/// The result for the budget of each planner that `auto` ran, and why it didn't run the others; an
/// empty array if a single planner was called. Contains no times: the same search gives the same
/// rows.
[[nodiscard]] ordered_json standingsJson(const solve::Outcome& outcome, base::Bytes budget,
                                         base::Nanoseconds unplanned);
/// The same as text, for the planners that ran.
[[nodiscard]] std::string standingsText(const ordered_json& rows, const solve::Outcome& outcome,
                                        base::Nanoseconds unplanned);

} // namespace plimsoll::cli
