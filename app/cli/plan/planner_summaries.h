// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/solve/api/planner.h"

#include <string>

namespace plimsoll::cli {

/// What each planner that `auto` ran has for the budget by itself, and why those that it didn't run
/// have nothing; an empty array where one planner was asked. No times: the same search
/// gives the same rows.
[[nodiscard]] ordered_json standingsJson(const solve::Outcome& outcome, base::Bytes budget,
                                         base::Nanoseconds unplanned);
/// The same in words, of those that ran.
[[nodiscard]] std::string standingsText(const ordered_json& rows, const solve::Outcome& outcome,
                                        base::Nanoseconds unplanned);

} // namespace plimsoll::cli
