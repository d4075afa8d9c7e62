// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/evaluate/certify.h"
#include "core/solve/pack/plan_memory.h"

#include <string>

namespace plimsoll::cli {

/// The keys that `plan` and `check` share: peak, times, what is recomputed, labels, regions.
void addEvaluation(ordered_json& json, const plan::Problem& problem, const plan::Plan& plan,
                   const plan::Evaluation& evaluation, const plan::Evaluation& base);

/// The line that tells the reserve, and where it comes from.
[[nodiscard]] std::string reserveText(const plan::Problem& problem);

/// The same as text.
[[nodiscard]] std::string evaluationText(const plan::Problem& problem, const plan::Plan& plan,
                                         const plan::Evaluation& evaluation,
                                         const plan::Evaluation& base);

/// The memory of a plan once it has addresses: the keys that `plan` and `check` share.
void addMemory(ordered_json& json, const solve::PlanMemory& memory);
/// The same keys with null values: there is no plan.
void addNoMemory(ordered_json& json);
/// The same as text.
[[nodiscard]] std::string memoryText(const solve::PlanMemory& memory);

[[nodiscard]] double overheadPercent(const plan::Evaluation& evaluation,
                                     const plan::Evaluation& base);

} // namespace plimsoll::cli
