// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan_file/plan_json_fields.h"

namespace plimsoll::plan {

/// The key `regions` of a plan file.
[[nodiscard]] nlohmann::ordered_json regionsJson(const graph::Program& program, const Plan& plan);
/// The key `labels` of a plan file.
[[nodiscard]] nlohmann::ordered_json labelsJson(const graph::Program& program, const Plan& plan);
/// The key `schedule` of a plan file.
[[nodiscard]] nlohmann::ordered_json scheduleJson(const Plan& plan);
/// The key `sequence` of a plan file.
[[nodiscard]] nlohmann::ordered_json sequenceJson(const graph::Program& program);
/// Whether a plan refers to ops by index, so that whoever applies it must know the ops.
[[nodiscard]] bool speaksOfOps(const Plan& plan);

/// The keys `regions` and `labels` of a plan file of the plan's runtime and granularity.
void readRegions(const detail::Field& root, const graph::Program& program, Plan& plan);
/// The keys `schedule` and `sequence` of a plan file, whose regions are in `plan` already.
void readOps(const detail::Field& root, const graph::Program& program, Plan& plan);

} // namespace plimsoll::plan
