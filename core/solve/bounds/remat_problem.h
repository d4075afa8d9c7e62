// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// One op of a fixed order. While it runs, everything that it reads, makes or overwrites is in
/// memory.
struct RematOp
{
    double time = 0;
    std::vector<std::uint32_t> reads = {};      ///< indices of values
    std::vector<std::uint32_t> makes = {};      ///< values that are made here
    std::vector<std::uint32_t> overwrites = {}; ///< values made earlier, changed in place
    bool mayRepeat = true;
};

/// A piece of memory made by one op and possibly overwritten by later ones (one version each).
struct RematValue
{
    std::int64_t size = 0;
    bool isKept = false; ///< needed at the end
};

/// Rematerialization in a fixed order, with values of several writers. In the plain graph, each op
/// makes one value and overwrites nothing.
struct RematProblem
{
    std::vector<RematOp> ops;
    std::vector<RematValue> values;
    std::vector<std::int64_t> floor = {}; ///< by op: bytes in memory under every plan (empty: 0)
};

/// Ops that are recomputed right before op `before`, in this order.
struct RematRecomputeStep
{
    std::uint32_t before = 0;
    std::vector<std::uint32_t> ops = {};

    bool operator==(const RematRecomputeStep&) const = default;
};

/// Every op runs once in the given order; these are recomputed in addition.
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

/// Simulates a plan in one linear pass, which shares no code with any search.
///
/// A value is live from
/// each execution of its maker to the last use before the next such execution; one without uses
/// only during that step; a kept one's last instance to the end. Memory during a step: the live
/// values, including those that the step reads, makes and overwrites, and the floor of the op at
/// which it runs. CheckFailed for an invalid problem (a value read before it is made, made twice or
/// never) and for a plan that can't run: a row out of order, an op that can't be recomputed, a
/// value that an execution finds in another version than its op did, or that ends in another
/// version than without a plan.
[[nodiscard]] base::Result<RematFigures> simulate(const RematProblem& problem,
                                                  const RematPlan& plan);

} // namespace plimsoll::solve
