// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>

namespace plimsoll::tests {

struct CbcAnswer
{
    enum class Status { Optimal, Infeasible, Stopped };

    Status status = Status::Stopped;
    double recomputeTime = 0; ///< time of the plan's repetitions
    solve::RematPlan plan;    ///< the best one found
    double seconds = 0;       ///< of CBC itself
    std::size_t binaries = 0; ///< size of the program
    std::size_t rows = 0;
};

/// The fastest plan within a budget that recomputes an op at most once before each other op, in the
/// given order, proved by CBC on one thread. It is a mixed-integer program of stages, each of which
/// ends with the next op (what is computed in a stage, what is saved for the next, what is freed
/// after which op). For problems with one value per op and without overwritten values.
[[nodiscard]] CbcAnswer solveWithCbc(const solve::RematProblem& problem, std::int64_t budget,
                                     int mostSeconds);

} // namespace plimsoll::tests
