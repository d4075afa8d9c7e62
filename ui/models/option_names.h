// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/option_record.h"
#include "core/workspace/planning.h"

#include <QString>

namespace plimsoll::ui {

/// What the forms call an option: its label, or its name ("Slots") if it has none.
[[nodiscard]] QString optionTitle(const solve::OptionRecord& record);

/// A planner and the options that differ from their defaults, in the forms' words: "rotor, stage
/// variants", "rotor, without stage variants, slots 500".
[[nodiscard]] QString plannerTitle(const workspace::Choices& choices);

} // namespace plimsoll::ui
