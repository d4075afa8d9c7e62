// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/evaluate/frontier.h"

#include <cstddef>
#include <vector>

namespace plimsoll::solve {

/// Of plans that the frontier dominates, those with which PyTorch's allocator reserves less than
/// with every faster or equally fast one, of them and of the frontier, on a device without a limit:
/// by default or with expandable segments. These run within budgets within which the others run out
/// of memory or flush the cache. The first of equal ones is taken. Replays two training loops per
/// plan, some milliseconds each, on `threads` threads; doesn't depend on their number. Empty if
/// stopped, and for a step that doesn't use that allocator.
[[nodiscard]] std::vector<plan::FrontierPoint>
lowReservePlans(const plan::Frontier& frontier, const std::vector<plan::FrontierPoint>& dominated,
                std::size_t threads, const base::JobContext& job);

} // namespace plimsoll::solve
