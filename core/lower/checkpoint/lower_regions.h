// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"

namespace plimsoll::plan {

/// lower() for plans of checkpoint regions, after the rules of LIFETIMES.md. The regions must be
/// legal, which verify() checks; O(ops + saved) times nesting depth.
[[nodiscard]] Schedule lowerRegions(const graph::Program& program, const CheckpointRegions& plan);

} // namespace plimsoll::plan
