// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/evaluate/frontier.h"

#include <string>

namespace plimsoll::cli {

/// `count` budgets, evenly spaced from the smallest known feasible one to the largest that gains
/// anything, each with what its plan saves against the next larger budget's, and at which price;
/// with `hasFlips` also which decisions differ.
[[nodiscard]] ordered_json frontierJson(const plan::Frontier& frontier, int count, bool hasFlips);
/// What to save next from the plan shown: null where no plan needs less.
[[nodiscard]] ordered_json cheapestNextJson(const plan::Frontier& frontier,
                                            const plan::VerifiedPlan& plan, bool hasFlips);

/// The rows of frontierJson() in words, flips under each where they are in it.
[[nodiscard]] std::string frontierText(const graph::Program& program, const ordered_json& rows);
/// The same of cheapestNextJson(); empty without flips.
[[nodiscard]] std::string cheapestNextText(const graph::Program& program, const ordered_json& next);

} // namespace plimsoll::cli
