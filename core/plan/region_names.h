// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <string>
#include <utility>

namespace plimsoll::plan {

/// Names of what a region begins and ends with: its first and last module, or its first and last
/// op. Equal for a region of one of them.
[[nodiscard]] std::pair<std::string, std::string> endsOf(const graph::Program& program,
                                                         const Region& region);

/// Index in Program::sources of the line that the region begins with, -1: unknown.
[[nodiscard]] std::int32_t sourceOf(const graph::Program& program, const Region& region);

} // namespace plimsoll::plan
