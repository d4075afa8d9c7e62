// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/capuchin/access_profile.h"

#include "core/device/op_times.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::solve {

namespace {

using graph::OpIndex;
using graph::StorageId;

/// The first interval of steps over the budget.
std::optional<std::pair<graph::OpId, graph::OpId>> peakInterval(const plan::Evaluation& evaluation,
                                                                base::Bytes budget)
{
    const std::vector<std::int64_t>& totals = evaluation.timeline->totals();
    const auto isOver = [budget](std::int64_t total) { return total > budget.count(); };
    const auto first = std::ranges::find_if(totals, isOver);
    if (first == totals.end() || evaluation.schedule->steps.empty())
        return std::nullopt;
    const auto end = std::find_if_not(first, totals.end(), isOver);
    const auto opOf = [&](auto at) {
        return evaluation.schedule->steps[static_cast<std::size_t>(at - totals.begin())].op;
    };
    return std::pair{opOf(first), opOf(end - 1)};
}

} // namespace

std::optional<Accesses> accessesOf(const graph::Program& program, const RecomputeClosure& closure,
                                   StorageId storage)
{
    if (!closure.isManaged(storage)
        || program.op(graph::opAt(program.storage(storage).alloc)).phase > graph::Phase::Loss)
        return std::nullopt;
    const std::vector<OpIndex>& uses = closure.usesOf(storage);
    const auto isBackward = [&program](OpIndex use) {
        return program.op(graph::opAt(use)).phase == graph::Phase::Backward;
    };
    const auto back = std::ranges::find_if(uses, isBackward);
    if (back == uses.begin() || back == uses.end())
        return std::nullopt;
    const auto last = std::find_if(uses.rbegin(), uses.rend(), isBackward);
    return Accesses{uses.front(), *(back - 1), *back, *last};
}

base::Result<AccessProfile> profileAccesses(const plan::Problem& problem,
                                            const base::JobContext& job)
{
    const graph::Program& program = *problem.step();
    const RecomputeClosure closure{program};
    const plan::EvaluationPtr evaluation = plan::evaluate(problem, plan::keepEverything());
    std::vector<double> endOf; // end time of each op
    double now = 0;
    const std::vector<base::Nanoseconds> times = plan::opTimes(program, problem.device);
    for (const base::Nanoseconds time : times)
        endOf.push_back(now += static_cast<double>(time.count()));

    AccessProfile profile{problem.reserve, evaluation->peak, {}, {}, {}};
    profile.peakInterval = peakInterval(*evaluation, problem.budget);
    const std::size_t steps = evaluation->schedule->steps.size();
    std::vector<std::int64_t> change(steps + 1, 0); // of live bytes, by step
    const auto add = [&change, steps](base::Bytes bytes, std::int32_t first, std::int32_t last) {
        if (steps == 0 || last < 0)
            return;
        change[static_cast<std::size_t>(std::max(first, 0))] += bytes.count();
        change[std::min(static_cast<std::size_t>(last) + 1, steps)] -= bytes.count();
    };
    const std::vector<plan::Instance>& lives = evaluation->schedule->instances;
    for (std::size_t row = 0; row < lives.size(); ++row) {
        if (job.stopRequested())
            return base::cancelled();
        job.report(row, lives.size());
        const plan::Instance& life = lives[row];
        const base::Bytes bytes =
            graph::rounded(program.storage(life.storage).bytes, problem.rounding);
        if (life.alloc < 0 && life.free >= 0)
            profile.staticBytes += bytes;
        const std::optional<Accesses> found = accessesOf(program, closure, life.storage);
        if (!found || bytes.count() == 0) {
            add(bytes, life.alloc, life.free);
            continue;
        }
        add(bytes, life.alloc, std::min(life.free, found->lastForward));
        add(bytes, found->firstBackward, life.free);
        ValueAccess& value =
            profile.values.emplace_back(ValueAccess{life.storage, bytes, *found, {}});
        const auto back = static_cast<std::size_t>(found->firstBackward);
        const double idle = endOf[back] - static_cast<double>(times[back].count())
                            - endOf[static_cast<std::size_t>(found->lastForward)];
        const double copying = 2 * static_cast<double>(bytes.count());
        if (problem.device.hostLink > 0)
            value.swapFree =
                base::Nanoseconds{std::llround(idle - copying / (problem.device.hostLink / 1e9))};
    }
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (const std::int64_t bytes : change)
        most = std::max(most, live += bytes);
    profile.minimumPeak = problem.reserve + base::Bytes{most};
    return profile;
}

} // namespace plimsoll::solve
