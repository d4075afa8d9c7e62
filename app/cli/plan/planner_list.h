// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <string>

namespace plimsoll::cli {

/// The answer of `plan --list`: the planners and their options.
[[nodiscard]] Answer listPlanners();

/// Whether it is the option's default in the first planner that has the option, other than auto,
/// which turns on what it tries in addition.
[[nodiscard]] bool isPlannerDefault(const std::string& name, const std::string& text);

/// The planners that support --explain, separated by commas.
[[nodiscard]] std::string explainers();

} // namespace plimsoll::cli
