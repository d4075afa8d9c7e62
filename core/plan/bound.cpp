// SPDX-License-Identifier: Apache-2.0
#include "core/plan/bound.h"

#include "core/plan/working_sets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace plimsoll::plan {

namespace {

using graph::Moment;
using graph::StorageId;

/// A value that backward needs and a plan may drop: it then costs at least the op that makes it
/// once more.
struct Droppable
{
    StorageId storage;
    std::int64_t bytes = 0;
    double density = 0; ///< ns per byte saved, at least
    Moment alloc = 0;
    Moment lastUnpack = -1;
};

/// Values with a live row, cheapest per byte first. An op that makes several values pays once, so
/// its time is spread over all their bytes.
std::vector<Droppable> droppables(const Problem& problem, const WorkingSets& sets)
{
    const graph::Program& program = *problem.program;
    const std::vector<base::Nanoseconds> times = opTimes(program, problem.device);
    std::vector<Moment> lastUnpack(program.storages.size(), -1);
    for (const graph::Saved& saved : program.saved)
        if (saved.unpack) {
            Moment& last = lastUnpack[program.tensor(saved.tensor).storage.index()];
            last = std::max(last, *saved.unpack);
        }
    std::vector<std::int64_t> madeBy(program.ops.size(), 0);
    const auto bytesOf = [&](std::size_t storage) {
        return graph::rounded(program.storages[storage].bytes, problem.rounding).count();
    };
    std::vector<Droppable> items;
    for (std::size_t storage = 0; storage < program.storages.size(); ++storage) {
        const Moment alloc = program.storages[storage].alloc;
        if (lastUnpack[storage] < 0 || alloc < 0 || sets.alwaysAsRecorded(StorageId{storage})
            || bytesOf(storage) == 0)
            continue;
        madeBy[static_cast<std::size_t>(alloc)] += bytesOf(storage);
        items.push_back({StorageId{storage}, bytesOf(storage), 0, alloc, lastUnpack[storage]});
    }
    for (Droppable& item : items) {
        const auto op = static_cast<std::size_t>(item.alloc);
        item.density = static_cast<double>(times[op].count()) / static_cast<double>(madeBy[op]);
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Droppable& a, const Droppable& b) { return a.density < b.density; });
    return items;
}

/// Least time to free `excess` bytes among what waits at an op for a later unpacking (fractional
/// knapsack).
double cheapestDrop(const std::vector<Droppable>& items, const std::vector<bool>& inUse, Moment op,
                    std::int64_t budgetLeft)
{
    std::int64_t waiting = 0;
    for (const Droppable& item : items)
        if (item.alloc < op && item.lastUnpack > op && !inUse[item.storage.index()])
            waiting += item.bytes;
    std::int64_t excess = waiting - budgetLeft;
    double cost = 0;
    for (const Droppable& item : items) {
        if (excess <= 0)
            break;
        if (item.alloc >= op || item.lastUnpack <= op || inUse[item.storage.index()])
            continue;
        cost += item.density * static_cast<double>(std::min(item.bytes, excess));
        excess -= item.bytes;
    }
    return cost;
}

} // namespace

PeakBound peakLowerBound(const Problem& problem, Runtime runtime)
{
    const graph::Program& program = *problem.program;
    const WorkingSets sets{problem, runtime};
    PeakBound bound{problem.reserve, graph::OpId{}, {}};
    for (std::size_t op = 0; op < sets.size(); ++op)
        if (sets.bytesAt(op) > bound.bytes) {
            bound.bytes = sets.bytesAt(op);
            bound.op = graph::OpId{op};
        }
    if (sets.size() == 0)
        return bound;
    const auto at = static_cast<Moment>(bound.op.index());
    bound.storages = sets.movableAt(bound.op.index());
    for (std::size_t storage = 0; storage < program.storages.size(); ++storage)
        if (sets.alwaysAsRecorded(StorageId{storage}) && program.storages[storage].alloc <= at
            && program.storages[storage].free >= at)
            bound.storages.emplace_back(storage);
    std::stable_sort(bound.storages.begin(), bound.storages.end(), [&](StorageId a, StorageId b) {
        return program.storage(a).bytes > program.storage(b).bytes;
    });
    return bound;
}

base::Nanoseconds stepTimeLowerBound(const Problem& problem, Runtime runtime)
{
    constexpr std::size_t kMoments =
        256; // every moment gives a valid bound; so many give nearly the best one
    const graph::Program& program = *problem.program;
    const WorkingSets sets{problem};
    const std::vector<base::Nanoseconds> times = opTimes(program, problem.device);
    const base::Nanoseconds recorded =
        std::accumulate(times.begin(), times.end(), base::Nanoseconds{});
    if (runtime == Runtime::Step)
        return recorded; // its values wait for uses, not for rows of `saved`
    const std::vector<Droppable> items = droppables(problem, sets);
    const std::size_t stride = std::max<std::size_t>(1, sets.size() / kMoments);
    double extra = 0;
    std::vector<bool> inUse(program.storages.size(), false);
    for (std::size_t op = 0; op < sets.size(); op += stride) {
        const std::vector<StorageId> members = sets.movableAt(op);
        for (const StorageId storage : members)
            inUse[storage.index()] = true;
        const std::int64_t left = problem.budget.count() - sets.bytesAt(op).count();
        extra = std::max(extra, cheapestDrop(items, inUse, static_cast<Moment>(op), left));
        for (const StorageId storage : members)
            inUse[storage.index()] = false;
    }
    return recorded + base::Nanoseconds{std::llround(std::floor(extra * (1 - 1e-9)))};
}

} // namespace plimsoll::plan
