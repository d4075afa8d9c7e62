// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "rotor": the step as a chain of stages, the corrected dynamic program of
/// checkpointing.md 1.5 over it, and each of its answers evaluated on the full graph.
[[nodiscard]] std::unique_ptr<const Planner> makeRotorPlanner();

} // namespace plimsoll::solve
