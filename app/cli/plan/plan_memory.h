// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/solve/pack/plan_memory.h"

#include <string>

namespace plimsoll::cli {

/// What a plan's memory takes once it has addresses: the keys that `plan` and `check` share.
void addMemory(ordered_json& json, const solve::PlanMemory& memory);
/// The same keys, null: there is no plan.
void addNoMemory(ordered_json& json);

/// The same in two lines for people.
[[nodiscard]] std::string memoryText(const solve::PlanMemory& memory);

} // namespace plimsoll::cli
