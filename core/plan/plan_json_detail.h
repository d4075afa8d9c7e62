// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan::detail {

inline constexpr auto kPlanFormat = "plimsoll-plan";
inline constexpr int kPlanVersion = 1;
inline constexpr auto kCheckpointRuntime = "checkpoint";
inline constexpr auto kModuleGranularity = "module";

/// For every call, how many calls of the same module come before it.
[[nodiscard]] std::vector<std::size_t> callNumbers(const graph::Program& program);

} // namespace plimsoll::plan::detail
