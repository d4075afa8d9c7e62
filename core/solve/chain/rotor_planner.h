// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "rotor": solves the step as a chain of stages with the corrected dynamic program of
/// checkpointing.md 1.5, and evaluates each of its answers on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeRotorPlanner();

} // namespace plimsoll::solve
