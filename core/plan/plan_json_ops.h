// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan/plan_json_fields.h"

namespace plimsoll::plan::detail {

/// The keys `schedule` and `sequence` of a plan file, whose regions are in `plan` already.
void readOps(Fields& fields, const graph::Program& program, base::Result<void>& state, Plan& plan);

} // namespace plimsoll::plan::detail
