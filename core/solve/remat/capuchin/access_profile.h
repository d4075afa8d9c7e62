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

/// When a step uses a value that forward makes and backward uses.
struct Accesses
{
    graph::OpIndex firstForward = 0;
    graph::OpIndex lastForward = 0; ///< before the first in backward
    graph::OpIndex firstBackward = 0;
    graph::OpIndex lastBackward = 0;
};

/// Nothing unless forward or loss makes the storage and backward uses it.
[[nodiscard]] std::optional<Accesses> accessesOf(const graph::Program& program,
                                                 const RecomputeClosure& closure,
                                                 graph::StorageId storage);

struct ValueAccess
{
    graph::StorageId value;
    base::Bytes bytes; ///< rounded as the problem says
    Accesses accesses;
    /// How long it could be away between being copied to the host and back: from the end of its
    /// last use in forward to its next use, less a copy each way. Negative: the step would have to
    /// wait. None without a link to the host.
    std::optional<base::Nanoseconds> swapFree;
};

/// What Capuchin profiles: how far a step's memory can fall at all, and when its values wait.
struct AccessProfile
{
    base::Bytes staticBytes; ///< there before the step, the reserve included
    base::Bytes maximumPeak; ///< of the step as eager PyTorch runs it
    base::Bytes minimumPeak; ///< with every value of `values` away while it waits
    /// First and last op of the first stretch of ops that is over the problem's budget.
    std::optional<std::pair<graph::OpId, graph::OpId>> peakInterval;
    std::vector<ValueAccess> values; ///< in order of the storages; none of 0 bytes
};
/// Fails only when it is stopped.
[[nodiscard]] base::Result<AccessProfile> profileAccesses(const plan::Problem& problem,
                                                          const base::JobContext& job = {});

} // namespace plimsoll::solve
