// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// One op of a fixed order. What it makes or overwrites it has in memory while it runs, what it
/// reads too.
struct RematOp
{
    double time = 0;
    std::vector<std::uint32_t> reads = {};      ///< indices of values
    std::vector<std::uint32_t> makes = {};      ///< values that come into being here
    std::vector<std::uint32_t> overwrites = {}; ///< values made earlier, changed in place
    bool mayRepeat = true;
};

/// A piece of memory made by one op, perhaps overwritten by later ones (a version each).
struct RematValue
{
    std::int64_t size = 0;
    bool isKept = false; ///< needed at the end
};

/// Rematerialization in a fixed order, with values of several writers. The plain graph is one value
/// made by each op and no overwrites.
struct RematProblem
{
    std::vector<RematOp> ops;
    std::vector<RematValue> values;
    std::vector<std::int64_t> floor = {}; ///< by op: bytes there whatever is planned (empty: 0)
};

/// Ops that run again right before op `before`, in this order.
struct RematRecomputeStep
{
    std::uint32_t before = 0;
    std::vector<std::uint32_t> ops = {};

    bool operator==(const RematRecomputeStep&) const = default;
};

/// Every op runs once in the given order, and these again.
struct RematPlan
{
    std::vector<RematRecomputeStep> recomputeSteps = {}; ///< rising `before`

    bool operator==(const RematPlan&) const = default;
};

struct RematFigures
{
    double time = 0;          ///< of all executions
    std::int64_t peak = 0;    ///< largest memory during a step
    std::uint32_t peakOp = 0; ///< the op that runs at the first step that reaches it
};

/// Plays a plan in one linear pass, which shares no code with any search.
///
/// A value lives from each execution of its maker to the last use before the next such execution;
/// one that nothing uses lives during that step alone, a kept one's last instance to the end.
/// Memory during a step: the live values, those that the step reads, makes and overwrites included,
/// and the floor of the op at which it stands. CheckFailed for a problem that is none (a value read
/// before it's made, made twice or never) and for a plan that can't run: a row out of order, an op
/// that may not repeat, a value that an execution finds in another version than its op did, or that
/// ends in another than without a plan.
[[nodiscard]] base::Result<RematFigures> simulate(const RematProblem& problem,
                                                  const RematPlan& plan);

} // namespace plimsoll::solve
