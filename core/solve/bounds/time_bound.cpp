// SPDX-License-Identifier: Apache-2.0
#include "core/solve/bounds/time_bound.h"

#include "core/device/op_times.h"
#include "core/solve/bounds/remat_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

namespace plimsoll::solve {

namespace {

using graph::OpIndex;
using graph::StorageId;

constexpr std::uint32_t kNoValue = std::numeric_limits<std::uint32_t>::max();

} // namespace

RematProblem boundingProblem(const plan::Problem& problem, plan::Runtime runtime)
{
    const graph::Program& program = *problem.step();
    const plan::WorkingSets sets{problem, runtime};
    const std::vector<base::Nanoseconds> times = plan::opTimes(program, problem.device);
    RematProblem made;
    made.ops.resize(sets.size());
    std::vector<std::uint32_t> valueOf(program.storages.size(), kNoValue);
    for (std::size_t index = 0; index < program.storages.size(); ++index) {
        const OpIndex alloc = program.storages[index].alloc;
        if (alloc < 0 || sets.alwaysAsRecorded(StorageId{index}))
            continue;
        valueOf[index] = static_cast<std::uint32_t>(made.values.size());
        made.ops[static_cast<std::size_t>(alloc)].makes.push_back(valueOf[index]);
        made.values.push_back(
            {graph::rounded(program.storages[index].bytes, problem.rounding).count(), false});
    }
    for (std::size_t index = 0; index < sets.size(); ++index) {
        RematOp& op = made.ops[index];
        op.time = static_cast<double>(times[index].count());
        std::set<StorageId> written;
        for (const graph::TensorId tensor : program.ops[index].writes)
            written.insert(program.tensor(tensor).storage);
        std::int64_t inUse = 0;
        for (const StorageId storage : sets.movableAt(index)) {
            const std::uint32_t value = valueOf[storage.index()];
            if (value == kNoValue)
                continue;
            inUse += made.values[value].size;
            if (program.storage(storage).alloc != static_cast<OpIndex>(index))
                (written.contains(storage) ? op.overwrites : op.reads).push_back(value);
        }
        made.floor.push_back(sets.bytesAt(index).count() - inUse);
    }
    // Gradients that the runner makes outlive the step; all others live as recorded.
    for (const graph::Parameter& parameter : program.parameters)
        if (parameter.gradient && valueOf[parameter.gradient->index()] != kNoValue)
            made.values[valueOf[parameter.gradient->index()]].isKept = true;
    return made;
}

base::Nanoseconds stepTimeLowerBound(const plan::Problem& problem, plan::Runtime runtime)
{
    const graph::Program& program = *problem.step();
    const std::vector<base::Nanoseconds> times = plan::opTimes(program, problem.device);
    const base::Nanoseconds recorded =
        std::accumulate(times.begin(), times.end(), base::Nanoseconds{});
    // Gathered parameters return without recomputation, which the prices don't model.
    const bool isSharded = problem.parallel && problem.parallel->setting.isSharded();
    const double recomputeTime = isSharded ? 0
                                           : RematBounds{boundingProblem(problem, runtime)}
                                                 .lagrangian(problem.budget.count())
                                                 .recomputeTime;
    // If no plan exists at all, the recorded step's time is still a valid bound.
    const base::Nanoseconds ops =
        recorded
        + base::Nanoseconds{std::isfinite(recomputeTime) ? std::llround(std::floor(recomputeTime))
                                                         : 0LL};
    if (!problem.parallel || program.ops.empty())
        return ops;
    // Recomputation only delays gradients, and gathers at most what backward would gather anyway.
    // So the exchange of the unplanned step is the least, and what runs between ops runs under
    // every plan. Waits that recomputation may hide aren't counted.
    const plan::EvaluationPtr unplanned = plan::evaluate(problem, plan::keepEverything());
    const plan::Communication& exchange = *unplanned->communication;
    const base::Nanoseconds handingOn = isSharded ? base::Nanoseconds{} : exchange.gatherExposed;
    return std::max(unplanned->stepTime, ops + exchange.sync + exchange.copies + handingOn);
}

} // namespace plimsoll::solve
