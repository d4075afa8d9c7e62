// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/schedule.h"

namespace plimsoll::plan {

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

} // namespace plimsoll::plan
