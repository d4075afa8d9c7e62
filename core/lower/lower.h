// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/schedule.h"

#include <string>
#include <variant>

namespace plimsoll::plan {

/// Completes regions after the rules of checkpoint/LIFETIMES.md. They must be legal, which verify()
/// checks; O(ops + saved) times nesting depth.
[[nodiscard]] Schedule lower(const graph::Program& program, const CheckpointRegions& plan);

/// Completes a recompute schedule after the rules of compiled_step/STEP_RUNTIME.md. It must be
/// legal, too; O(ops + executions).
[[nodiscard]] Schedule lower(const graph::Program& program, const RecomputeSchedule& plan);

/// Completes a plan after the rules of its runtime.
[[nodiscard]] inline Schedule lower(const graph::Program& program, const Plan& plan)
{
    return std::visit([&](const auto& decisions) { return lower(program, decisions); },
                      plan.decisions);
}

/// The step that a plan of runtime Step makes, written out as a program: what is repeated are ops
/// with storages and tensors of their own, that stand before the op for which they run again and
/// carry the target, module and call of the op that they repeat; later uses take from them. Each
/// storage is freed where the plan frees it, so that evaluate(), without any plan, gives the plan's
/// peak, time and bytes at every op. Autograd saves nothing in such a step. It varies by the laws
/// of the recorded one: at another size it is what the same rows make of the recorded step there.
/// Usage error for plans of runtime Checkpoint, of another order, and of one of several processes;
/// File where a call holds a number that can't be kept.
[[nodiscard]] base::Result<graph::Program> rewrite(const Problem& problem, const Plan& plan,
                                                   const Schedule& schedule);

/// Why nested checkpoint regions, with or without saved sets, don't express a plan of runtime
/// Step: a sentence that names ops. First what no regions can run (LIFETIMES.md): another order,
/// repetitions of backward or in forward, a region of which only a part runs again, nested regions
/// that run again apart. Else what no runtime of regions does with memory. Empty for plans of
/// regions, and for those that repeat nothing. `schedule` is the plan's.
[[nodiscard]] std::string whyNoRegions(const graph::Program& program, const Plan& plan,
                                       const Schedule& schedule);

} // namespace plimsoll::plan
