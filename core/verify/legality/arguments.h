// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <optional>
#include <string>

namespace plimsoll::plan::verifying {

/// Rule 2 of LIFETIMES.md beyond tensors, for the member at `index` (from 1) of a region: what is
/// wrong, as the rest of a sentence. Nothing where the graph doesn't tell how its calls were made.
[[nodiscard]] std::optional<std::string> passingFault(const graph::Program& program,
                                                      const Region& region, std::size_t index);

} // namespace plimsoll::plan::verifying
