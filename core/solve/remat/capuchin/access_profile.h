// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/evaluate/evaluate.h"
#include "core/solve/regions/recompute_closure.h"

#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// When a step uses a value that forward computes and backward uses.
struct Accesses
{
    graph::OpIndex firstForward = 0;
    graph::OpIndex lastForward = 0; ///< before the first in backward
    graph::OpIndex firstBackward = 0;
    graph::OpIndex lastBackward = 0;
};

/// Nothing unless forward or loss allocates the storage and backward uses it.
[[nodiscard]] std::optional<Accesses> accessesOf(const graph::Program& program,
                                                 const RecomputeClosure& closure,
                                                 graph::StorageId storage);

struct ValueAccess
{
    graph::StorageId value;
    base::Bytes bytes; ///< rounded as the problem says
    Accesses accesses;
    /// How long it could be swapped out to the host: from the end of its last use in forward to its
    /// next use, less a copy each way. Negative: the step would have to wait. None without a link
    /// to the host.
    std::optional<base::Nanoseconds> swapFree;
};

/// Capuchin's profile: how far a step's memory can fall, and when its values are idle.
struct AccessProfile
{
    base::Bytes staticBytes; ///< live before the step, including the reserve
    base::Bytes maximumPeak; ///< of the step as eager PyTorch runs it
    base::Bytes minimumPeak; ///< with every value of `values` swapped out while it is idle
    /// First and last op of the first stretch of ops that is over the problem's budget.
    std::optional<std::pair<graph::OpId, graph::OpId>> peakInterval;
    std::vector<ValueAccess> values; ///< in order of the storages; without those of 0 bytes
};
/// Fails only if it is stopped.
[[nodiscard]] base::Result<AccessProfile> profileAccesses(const plan::Problem& problem,
                                                          const base::JobContext& job = {});

} // namespace plimsoll::solve
