// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/parallel/communication.h"
#include "core/plan/schedule.h"
#include "core/timeline/timeline.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::plan {

/// A value that the plan recomputes. Ops that only write it in place are part of its time.
struct Recomputed
{
    graph::OpId op;           ///< the recomputed op
    graph::StorageId storage; ///< what it allocates
    base::Bytes bytes;
    base::Bytes spared; ///< `bytes` if the recorded step keeps it for backward and the plan does
                        ///< not; 0 for what forward frees anyway
    base::Nanoseconds time;   ///< of all its executions in recomputations
    std::int32_t region = -1; ///< as in Step: innermost region, or last row of `again`
};

/// Every number that is shown about a plan. Made only by evaluate().
struct Evaluation
{
    base::Bytes
        peak; ///< largest sum of live bytes, reserve included, sizes rounded as the problem says
    std::size_t peakStep = 0; ///< first step that reaches it
    graph::OpId peakOp;       ///< op of that step
    base::Nanoseconds stepTime;
    base::Nanoseconds recomputeTime;            ///< part of stepTime spent in recomputations
    std::vector<Recomputed> recomputed;         ///< in order of the op
    std::optional<Communication> communication; ///< of one rank; part of stepTime
    std::vector<std::string> warnings;          ///< sentences: what can go wrong when the plan runs
    std::vector<std::string> notModelled;       ///< sentences: what these numbers leave out
    std::shared_ptr<const Schedule> schedule;
    timeline::TimelinePtr timeline;
};

using EvaluationPtr = std::shared_ptr<const Evaluation>;

/// The only source of numbers about a plan, for its runtime. The plan must be legal.
[[nodiscard]] EvaluationPtr evaluate(const Problem& problem, const Plan& plan);

/// The plan "keep everything": no regions, planner "none", the step as eager PyTorch runs it.
[[nodiscard]] Plan keepEverything(Runtime runtime = Runtime::CheckpointedModule);

} // namespace plimsoll::plan
