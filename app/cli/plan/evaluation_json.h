// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/evaluate/certify.h"

namespace plimsoll::cli {

/// The keys that `plan` and `check` share: peak, times, what is recomputed, labels, regions.
void addEvaluation(ordered_json& json, const plan::Problem& problem, const plan::Plan& plan,
                   const plan::Evaluation& evaluation, const plan::Evaluation& base);

/// The same in a few lines for people.
[[nodiscard]] std::string evaluationText(const plan::Problem& problem, const plan::Plan& plan,
                                         const plan::Evaluation& evaluation,
                                         const plan::Evaluation& base);

[[nodiscard]] double overheadPercent(const plan::Evaluation& evaluation,
                                     const plan::Evaluation& base);

} // namespace plimsoll::cli
