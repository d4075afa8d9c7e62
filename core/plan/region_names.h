// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <utility>

namespace plimsoll::plan {

/// Names of the first and last module, or the first and last op, of a region; equal if it has only
/// one.
[[nodiscard]] std::pair<std::string, std::string> endsOf(const graph::Program& program,
                                                         const Region& region);

/// Index in Program::sources of the line at which the region begins, -1: unknown.
[[nodiscard]] std::int32_t sourceOf(const graph::Program& program, const Region& region);

} // namespace plimsoll::plan
