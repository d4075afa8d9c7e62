// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan_file/plan_json_fields.h"

namespace plimsoll::plan {

/// The key `regions` of a plan file.
[[nodiscard]] nlohmann::ordered_json regionsJson(const graph::Program& program, const Plan& plan);
/// The key `labels` of a plan file.
[[nodiscard]] nlohmann::ordered_json labelsJson(const graph::Program& program, const Plan& plan);

} // namespace plimsoll::plan

namespace plimsoll::plan::detail {

/// The keys `regions` and `labels` of a plan file of the plan's runtime and granularity.
void readRegions(Fields& fields, const graph::Program& program, base::Result<void>& state,
                 Plan& plan);

} // namespace plimsoll::plan::detail
