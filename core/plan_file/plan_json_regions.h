// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace plimsoll::plan::detail {

/// The key `regions` of a plan file turned into regions of a program.
[[nodiscard]] std::vector<Region> readRegions(const nlohmann::json& rows,
                                              const graph::Program& program,
                                              Granularity granularity, base::Result<void>& state);

} // namespace plimsoll::plan::detail
