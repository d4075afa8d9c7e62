// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <memory>

namespace plimsoll::solve {

/// The planner "every-block": checkpoints each repeated block (graph::repeatedBlocks()), as Hugging
/// Face's `gradient_checkpointing_enable()` does.
[[nodiscard]] std::unique_ptr<const Planner> makeEveryBlockPlanner();

/// The planner "sequential-k": `torch.utils.checkpoint.checkpoint_sequential()` over
/// longestChain().
[[nodiscard]] std::unique_ptr<const Planner> makeSequentialPlanner();

/// The planner "torch-budget": `torch._functorch.config.activation_memory_budget`. Plans for the
/// runtime Step.
[[nodiscard]] std::unique_ptr<const Planner> makeTorchBudgetPlanner();

} // namespace plimsoll::solve
