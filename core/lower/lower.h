// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/schedule.h"

#include <string>
#include <variant>

namespace plimsoll::plan {

/// Lowers checkpoint regions by the rules of checkpoint/LIFETIMES.md. They must be legal, which
/// verify() checks; O(ops + saved) times nesting depth.
[[nodiscard]] Schedule lower(const graph::Program& program, const CheckpointRegions& plan);

/// Lowers a recompute schedule by the rules of compiled_step/STEP_RUNTIME.md. It must be legal,
/// too; O(ops + executions).
[[nodiscard]] Schedule lower(const graph::Program& program, const RecomputeSchedule& plan);

/// Lowers a plan by the rules of its runtime.
[[nodiscard]] inline Schedule lower(const graph::Program& program, const Plan& plan)
{
    return std::visit([&](const auto& decisions) { return lower(program, decisions); },
                      plan.decisions);
}

/// The step that a plan of runtime Step makes, written out as a program. Recomputations become ops
/// with storages and tensors of their own; each stands before the op for which it runs and has the
/// target, module and call of the op that it recomputes. Later uses read the recomputed tensors.
/// Each storage is freed where the plan frees it, so that evaluate(), without any plan, gives the
/// plan's peak, time and bytes at every op. Autograd saves nothing in such a step. It varies by the
/// laws of the recorded step: at another size it is what the same rows make of the recorded step
/// there. Usage error for plans of runtime Checkpoint, that reorder ops, or of one rank; File if a
/// call holds a number that can't be stored.
[[nodiscard]] base::Result<graph::Program> rewrite(const Problem& problem, const Plan& plan,
                                                   const Schedule& schedule);

/// Why nested checkpoint regions, with or without saved sets, can't express a plan of runtime Step:
/// a sentence that names ops. First, what no regions can run (LIFETIMES.md): another order,
/// recomputations of backward or in forward, regions that are recomputed in part, nested regions
/// that are recomputed separately. Else, what it does with memory that no runtime of regions does.
/// Empty for plans of regions, and for plans that recompute nothing. `schedule` is the plan's.
[[nodiscard]] std::string whyNoRegions(const graph::Program& program, const Plan& plan,
                                       const Schedule& schedule);

} // namespace plimsoll::plan
