// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <optional>
#include <vector>

namespace plimsoll::plan {

/// A block of memory that is live during a step: a live interval of a storage, or the reserve.
struct Live
{
    std::optional<graph::StorageId> storage; ///< empty: the reserve
    base::Bytes bytes;                       ///< as charged, that is, rounded as the problem says
    timeline::Category category = timeline::Category::Temporaries;
    std::size_t since = 0;            ///< first step during which it is live
    std::size_t until = 0;            ///< last step during which it is live
    std::optional<graph::OpId> maker; ///< op that allocates it; empty: live before the step
    bool recomputed = false;          ///< allocated by a recomputation
};

/// Everything that is live during a step of an evaluation, largest first; the sum is exactly
/// `evaluation.timeline->totalAt(step)`. Requires a step of the timeline.
[[nodiscard]] std::vector<Live> liveAt(const Evaluation& evaluation, std::size_t step);

} // namespace plimsoll::plan
