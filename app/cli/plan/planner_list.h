// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

namespace plimsoll::cli {

/// The answer of `plan --list`: the planners and their options.
[[nodiscard]] Answer listPlanners();

} // namespace plimsoll::cli
