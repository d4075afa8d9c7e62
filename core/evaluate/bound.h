// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <vector>

namespace plimsoll::plan {

/// The largest working set that no recomputation removes.
struct PeakBound
{
    base::Bytes bytes;                      ///< reserve included, rounded as the problem says
    graph::OpId op;                         ///< while it runs
    std::vector<graph::StorageId> storages; ///< what must be there then, largest first
};

/// No plan for the runtime has a smaller peak: for every op its reads, writes and outputs, what
/// lives through the whole step, and what backward and optimizer hold regardless of what forward
/// kept (WorkingSets).
[[nodiscard]] PeakBound peakLowerBound(const Problem& problem,
                                       Runtime runtime = Runtime::CheckpointedModule);

} // namespace plimsoll::plan
