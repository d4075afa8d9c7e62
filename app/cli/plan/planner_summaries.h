// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/solve/api/planner.h"

#include <optional>
#include <string>

namespace plimsoll::cli {

/// The fastest plan of each planner that `auto` ran with a peak of at most `mostPeak`, and why it
/// didn't run the others; an empty array if a single planner was called. Contains no times: the
/// same search gives the same rows.
[[nodiscard]] ordered_json standingsJson(const solve::Outcome& outcome, base::Bytes mostPeak,
                                         base::Nanoseconds unplanned);
/// The same as text, for the planners that ran. `mostPeak`: empty if it is the budget.
[[nodiscard]] std::string standingsText(const ordered_json& rows, const solve::Outcome& outcome,
                                        std::optional<base::Bytes> mostPeak,
                                        base::Nanoseconds unplanned);

} // namespace plimsoll::cli
