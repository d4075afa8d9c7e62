// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/compare/two_steps.h"

#include <string>

namespace plimsoll::cli {

/// The answer of diff for two graphs or two plans; `kind` is "graphs" or "plans".
[[nodiscard]] Answer describeSteps(const std::string& kind, const compare::PredictedStep& first,
                                   const compare::PredictedStep& second);

} // namespace plimsoll::cli
