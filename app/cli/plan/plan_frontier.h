// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/run/reserved_table.h"

#include <string>

namespace plimsoll::cli {

/// `count` budgets, evenly spaced from the smallest one for which a plan is known to the largest
/// that gains anything, each with what its plan saves compared with the next larger budget's, and
/// at which price; with `hasFlips` also which decisions differ.
[[nodiscard]] ordered_json frontierJson(const run::PlansByBudget& plans, int count, bool hasFlips);
/// The next saving after the shown plan: null if no plan needs less.
[[nodiscard]] ordered_json cheapestNextJson(const run::PlansByBudget& plans,
                                            const plan::VerifiedPlan& plan, bool hasFlips);

/// The rows of frontierJson() as text, each followed by its flips, if any.
[[nodiscard]] std::string frontierText(const graph::Program& program, const ordered_json& rows);
/// The same for cheapestNextJson(); empty without flips.
[[nodiscard]] std::string cheapestNextText(const graph::Program& program, const ordered_json& next);

} // namespace plimsoll::cli
