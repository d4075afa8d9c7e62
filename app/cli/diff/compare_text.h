// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/compare/against_plan.h"

#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::cli {

/// A cell of a comparison; "-" where it is not known.
[[nodiscard]] std::string valueText(std::optional<std::int64_t> value, compare::Unit unit);
/// null where it is not known.
[[nodiscard]] ordered_json valueJson(std::optional<std::int64_t> value);

/// `second` less `first`: "equal", "+1.20 %", or, where that would read as nothing or as
/// everything, how much it is: "-512 B". Empty where either is not known.
[[nodiscard]] std::string differenceText(std::optional<std::int64_t> first,
                                         std::optional<std::int64_t> second, compare::Unit unit);

} // namespace plimsoll::cli
