// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/compare/two_steps.h"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::cli {

/// A cell of a comparison; "-" if the value isn't known.
[[nodiscard]] std::string valueText(std::optional<std::int64_t> value, compare::Unit unit);

/// `second` minus `first`: "equal", "+1.20 %", or an absolute difference ("-512 B") if a percentage
/// would be meaningless. Empty if either isn't known.
[[nodiscard]] std::string differenceText(std::optional<std::int64_t> first,
                                         std::optional<std::int64_t> second, compare::Unit unit);

/// The answer of diff for two graphs or two plans; `kind` is "graphs" or "plans".
[[nodiscard]] Answer describeSteps(const std::string& kind, const compare::PredictedStep& first,
                                   const compare::PredictedStep& second);

} // namespace plimsoll::cli
