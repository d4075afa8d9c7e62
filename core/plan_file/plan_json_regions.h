// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/plan_file/plan_json_fields.h"

namespace plimsoll::plan::detail {

/// The keys `regions` and `labels` of a plan file of the plan's runtime and granularity.
void readRegions(Fields& fields, const graph::Program& program, base::Result<void>& state,
                 Plan& plan);

} // namespace plimsoll::plan::detail
