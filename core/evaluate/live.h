// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <optional>
#include <vector>

namespace plimsoll::plan {

/// One block of memory that is alive during a step: a life of a storage, or the reserve.
struct Live
{
    std::optional<graph::StorageId> storage; ///< empty: the reserve
    base::Bytes bytes;                       ///< as charged, that is rounded as the problem says
    timeline::Category category = timeline::Category::Temporaries;
    std::size_t since = 0;            ///< first step during which it is alive
    std::optional<graph::OpId> maker; ///< op that allocates it; empty: it was there before the step
    bool recomputed = false;          ///< made by a recomputation
};

/// Everything that is alive during a step of an evaluation, largest first; together exactly
/// `evaluation.timeline->totalAt(step)`. Requires a step of the timeline.
[[nodiscard]] std::vector<Live> liveAt(const Evaluation& evaluation, std::size_t step);

} // namespace plimsoll::plan
