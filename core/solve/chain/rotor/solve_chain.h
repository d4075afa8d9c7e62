// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/solve/api/status.h"
#include "core/solve/chain/rotor/annotation.h"
#include "core/solve/chain/rotor/rotor_scale.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::solve {

struct ChainQuery
{
    std::int64_t budget = 0; ///< in the chain's size unit, x[0] included
    RotorOptions options;
    bool frontier = false;
    bool nonPersistent = false; ///< also schedules that drop a stage's input and recompute it
                                ///< while what the stage saved stays; regions can't express them
};

struct ChainTradeOff
{
    std::int64_t budget = 0; ///< the smallest budget at which it is available
    double makespan = 0;
    std::int64_t peak = 0; ///< simulated
};

struct ChainAnswer
{
    Status status = Status::NotFound;
    double makespan = 0;             ///< 0 without a schedule
    double baseMakespan = 0;         ///< nothing recomputed
    std::int64_t peak = 0;           ///< simulated on real sizes; 0 without a schedule
    std::int64_t unit = 1;           ///< of the table that answered, in the chain's size unit
    bool exact = false;              ///< no size was rounded: nothing persistent is faster
    bool stopped = false;            ///< before the search was over: better ones may exist
    std::int64_t lowerBoundPeak = 0; ///< proven: nothing fits below
    std::optional<std::int64_t> smallestKnownBudget; ///< a schedule is known to fit
    Sequence operations;
    Labels labels; ///< none if `operations` drop something
    std::vector<Region> regions;
    std::vector<ChainTradeOff> frontier; ///< up to keeping everything, whatever the budget
};

/// Solves the content of a chain problem file. Fails for an invalid chain, budget or slot count;
/// "does not fit" is an answer, not a failure. If stopped before its table is complete, it answers
/// from a coarse one, which takes a moment; if stopped later, it omits the frontier. With the peer
/// recurrence `peak` may exceed the budget, which the comparison is meant to show.
[[nodiscard]] base::Result<ChainAnswer> solveChain(const Chain& given, const ChainQuery& query,
                                                   const base::JobContext& job);

} // namespace plimsoll::solve
