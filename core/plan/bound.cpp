// SPDX-License-Identifier: Apache-2.0
#include "core/plan/bound.h"

#include "core/plan/working_sets.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::Moment;
using graph::StorageId;

/// A value that waits for a use and that a plan may drop: it then costs at least the op that makes
/// it once more. What one value costs in waits that are apart in time adds up.
struct Droppable
{
    StorageId storage;
    std::int64_t bytes = 0;
    double density = 0; ///< ns per byte saved, at least
    Moment begin = 0;   ///< it waits behind this op
    Moment end = -1;    ///< and up to this one
};

std::int64_t bytesOf(const Problem& problem, std::size_t storage)
{
    return graph::rounded(problem.program->storages[storage].bytes, problem.rounding).count();
}

/// Sets what each costs, cheapest per byte first. An op that makes several values pays once, so its
/// time is spread over all their bytes.
void price(const Problem& problem, std::vector<Droppable>& items)
{
    const graph::Program& program = *problem.program;
    const std::vector<base::Nanoseconds> times = opTimes(program, problem.device);
    const auto makerOf = [&](StorageId storage) {
        return static_cast<std::size_t>(program.storage(storage).alloc);
    };
    std::vector<std::int64_t> madeBy(program.ops.size(), 0);
    std::vector<bool> isCounted(program.storages.size(), false);
    for (const Droppable& item : items)
        if (!isCounted[item.storage.index()]) {
            isCounted[item.storage.index()] = true;
            madeBy[makerOf(item.storage)] += item.bytes;
        }
    for (Droppable& item : items) {
        const std::size_t op = makerOf(item.storage);
        item.density = static_cast<double>(times[op].count()) / static_cast<double>(madeBy[op]);
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Droppable& a, const Droppable& b) { return a.density < b.density; });
}

/// Values with a live row, from the op that makes them to their last unpacking.
std::vector<Droppable> waitsForUnpacking(const Problem& problem, const WorkingSets& sets)
{
    const graph::Program& program = *problem.program;
    std::vector<Moment> lastUnpack(program.storages.size(), -1);
    for (const graph::Saved& saved : program.saved)
        if (saved.unpack) {
            Moment& last = lastUnpack[program.tensor(saved.tensor).storage.index()];
            last = std::max(last, *saved.unpack);
        }
    std::vector<Droppable> items;
    for (std::size_t storage = 0; storage < program.storages.size(); ++storage) {
        const Moment alloc = program.storages[storage].alloc;
        const std::int64_t bytes = bytesOf(problem, storage);
        if (lastUnpack[storage] >= 0 && alloc >= 0 && !sets.alwaysAsRecorded(StorageId{storage})
            && bytes > 0)
            items.push_back({StorageId{storage}, bytes, 0, alloc, lastUnpack[storage]});
    }
    return items;
}

/// At runtime Step: values between two ops that use them, gradients also behind the last one. The
/// op that makes a value begins a new instance (STEP_RUNTIME.md), so between two recorded uses it
/// either has run again or the instance has been there all the while.
std::vector<Droppable> waitsForUses(const Problem& problem, const WorkingSets& sets)
{
    const graph::Program& program = *problem.program;
    std::vector<Moment> lastUse(program.storages.size(), -1);
    std::vector<Droppable> items;
    const auto wait = [&](StorageId storage, Moment end) {
        const Moment begin = std::exchange(lastUse[storage.index()], end);
        const std::int64_t bytes = bytesOf(problem, storage.index());
        if (begin >= 0 && end - begin > 1 && bytes > 0)
            items.push_back({storage, bytes, 0, begin, end});
    };
    for (std::size_t op = 0; op < sets.size(); ++op)
        for (const StorageId storage : sets.movableAt(op))
            if (program.storage(storage).alloc >= 0)
                wait(storage, static_cast<Moment>(op));
    for (const graph::Parameter& parameter : program.parameters)
        if (parameter.gradient && lastUse[parameter.gradient->index()] >= 0)
            wait(*parameter.gradient, static_cast<Moment>(sets.size()));
    return items;
}

/// Least time to free enough of what waits at an op for a later one (fractional knapsack).
double cheapestDrop(const std::vector<Droppable>& items, const std::vector<bool>& inUse, Moment op,
                    std::int64_t budgetLeft)
{
    std::int64_t waiting = 0;
    for (const Droppable& item : items)
        if (item.begin < op && item.end > op && !inUse[item.storage.index()])
            waiting += item.bytes;
    std::int64_t excess = waiting - budgetLeft;
    double cost = 0;
    for (const Droppable& item : items) {
        if (excess <= 0)
            break;
        if (item.begin >= op || item.end <= op || inUse[item.storage.index()])
            continue;
        cost += item.density * static_cast<double>(std::min(item.bytes, excess));
        excess -= item.bytes;
    }
    return cost;
}

/// Of so many stretches of the step the op at which most is there or waits. Every op gives a valid
/// bound; these give nearly the best one.
std::vector<std::size_t> fullestOps(const std::vector<Droppable>& items, const WorkingSets& sets)
{
    constexpr std::size_t kStretches = 256;
    std::vector<std::int64_t> change(sets.size() + 1, 0);
    for (const Droppable& item : items) {
        change[static_cast<std::size_t>(item.begin) + 1] += item.bytes;
        change[static_cast<std::size_t>(item.end)] -= item.bytes;
    }
    std::vector<std::int64_t> bytes(sets.size(), 0);
    std::int64_t waiting = 0;
    for (std::size_t op = 0; op < bytes.size(); ++op) {
        waiting += change[op];
        bytes[op] = waiting + sets.bytesAt(op).count();
    }
    const std::size_t stretches = std::min(kStretches, bytes.size());
    std::vector<std::size_t> ops;
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
        const auto at = [&](std::size_t index) {
            return bytes.begin() + static_cast<std::ptrdiff_t>(index * bytes.size() / stretches);
        };
        ops.push_back(static_cast<std::size_t>(std::max_element(at(stretch), at(stretch + 1))
                                               - bytes.begin()));
    }
    return ops;
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
    const graph::Program& program = *problem.program;
    const WorkingSets sets{problem, runtime};
    const std::vector<base::Nanoseconds> times = opTimes(program, problem.device);
    const base::Nanoseconds recorded =
        std::accumulate(times.begin(), times.end(), base::Nanoseconds{});
    std::vector<Droppable> items =
        runtime == Runtime::Step ? waitsForUses(problem, sets) : waitsForUnpacking(problem, sets);
    price(problem, items);
    double extra = 0;
    std::vector<bool> inUse(program.storages.size(), false);
    for (const std::size_t op : fullestOps(items, sets)) {
        const std::vector<StorageId> members = sets.movableAt(op);
        for (const StorageId storage : members)
            inUse[storage.index()] = true;
        const std::int64_t left = problem.budget.count() - sets.bytesAt(op).count();
        extra = std::max(extra, cheapestDrop(items, inUse, static_cast<Moment>(op), left));
        for (const StorageId storage : members)
            inUse[storage.index()] = false;
    }
    const base::Nanoseconds ops =
        recorded + base::Nanoseconds{std::llround(std::floor(extra * (1 - 1e-9)))};
    if (!problem.parallel || program.ops.empty())
        return ops;
    // Recomputation only delays gradients, and gathers at most what backward would have to: the
    // unplanned step's exchange is the least, and what runs between ops runs under every plan.
    // Waits that recomputation may hide aren't added.
    const EvaluationPtr unplanned = evaluate(problem, keepEverything());
    const Communication& exchange = *unplanned->communication;
    const base::Nanoseconds handingOn =
        problem.parallel->setting.isSharded() ? base::Nanoseconds{} : exchange.gatherExposed;
    return std::max(unplanned->stepTime, ops + exchange.sync + exchange.copies + handingOn);
}

} // namespace plimsoll::plan
