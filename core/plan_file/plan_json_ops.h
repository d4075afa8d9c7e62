// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan_file/plan_json_fields.h"

namespace plimsoll::plan {

/// Whether a plan names ops by their ordinals, so that whoever applies it must know the ops.
[[nodiscard]] bool speaksOfOps(const Plan& plan);
/// The key `schedule` of a plan file.
[[nodiscard]] nlohmann::ordered_json scheduleJson(const Plan& plan);
/// The key `sequence` of a plan file.
[[nodiscard]] nlohmann::ordered_json sequenceJson(const graph::Program& program);

} // namespace plimsoll::plan

namespace plimsoll::plan::detail {

/// The keys `schedule` and `sequence` of a plan file, whose regions are in `plan` already.
void readOps(Fields& fields, const graph::Program& program, base::Result<void>& state, Plan& plan);

} // namespace plimsoll::plan::detail
