// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/reorder.h"

#include "core/evaluate/evaluate.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace plimsoll::solve {

namespace {

using Order = StepOrder;

/// The number of ops visited in total, over all orders tried.
constexpr std::size_t kOpsVisited = 200'000'000;
/// The number of places tried on each side of the fullest one.
constexpr std::size_t kReach = 400;
/// The largest group of ops moved together.
constexpr std::size_t kMostMoved = 64;

std::vector<std::size_t> placesOf(const Order& order)
{
    std::vector<std::size_t> places(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        places[order[place]] = place;
    return places;
}

/// Moves some ops in front of a place, in their present order.
Order moved(const Order& order, const std::set<std::size_t>& from, std::size_t to)
{
    Order made;
    made.reserve(order.size());
    for (std::size_t place = 0; place <= order.size(); ++place) {
        if (place == to)
            for (const std::size_t other : from)
                made.push_back(order[other]);
        if (place < order.size() && !from.contains(place))
            made.push_back(order[place]);
    }
    return made;
}

} // namespace

StepOrder runnersOrder(const StepOrder& order)
{
    StepOrder made;
    made.reserve(order.size());
    std::vector<bool> hasRun(order.size(), false);
    std::uint32_t next = 0; // the first op that hasn't run
    StepOrder ahead;
    for (const std::uint32_t op : order) {
        hasRun[op] = true;
        if (op != next) {
            ahead.push_back(op);
            continue;
        }
        std::sort(ahead.begin(), ahead.end());
        made.insert(made.end(), ahead.begin(), ahead.end());
        made.push_back(op);
        ahead.clear();
        while (next < hasRun.size() && hasRun[next])
            ++next;
    }
    return made;
}

RematProblem inOrder(const RematProblem& problem, const StepOrder& order)
{
    RematProblem made;
    made.values = problem.values;
    for (const std::uint32_t op : order) {
        made.ops.push_back(problem.ops[op]);
        if (!problem.floor.empty())
            made.floor.push_back(problem.floor[op]);
    }
    return made;
}

std::vector<RematRecomputeStep> inOrder(const std::vector<RematRecomputeStep>& rows,
                                        const StepOrder& order)
{
    const std::vector<std::size_t> places = placesOf(order);
    const auto placeOf = [&](std::uint32_t op) { return static_cast<std::uint32_t>(places[op]); };
    std::vector<RematRecomputeStep> made;
    for (const RematRecomputeStep& row : rows) {
        RematRecomputeStep& moved = made.emplace_back(RematRecomputeStep{placeOf(row.before), {}});
        std::ranges::transform(row.ops, std::back_inserter(moved.ops), placeOf);
        std::sort(moved.ops.begin(), moved.ops.end());
    }
    std::ranges::sort(made, {}, &RematRecomputeStep::before);
    return made;
}

std::optional<plan::Plan> stepPlanOf(const RematPlan& plan, const StepOrder& order)
{
    plan::RecomputeSchedule made;
    std::vector<bool> hasRun(order.size(), false);
    std::uint32_t next = 0; // the first op that hasn't run
    auto row = plan.recomputeSteps.begin();
    std::vector<std::uint32_t> listed;
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        const std::uint32_t op = order[place];
        if (row != plan.recomputeSteps.end() && row->before == place) {
            for (const std::uint32_t again : row->ops)
                listed.push_back(order[again]);
            ++row;
        }
        hasRun[op] = true;
        if (op != next) {
            listed.push_back(op);
            continue;
        }
        std::sort(listed.begin(), listed.end());
        if (std::adjacent_find(listed.begin(), listed.end()) != listed.end())
            return std::nullopt;
        if (!listed.empty())
            made.recomputeSteps.push_back(
                {static_cast<graph::OpIndex>(op), {listed.begin(), listed.end()}});
        listed.clear();
        while (next < hasRun.size() && hasRun[next])
            ++next;
    }
    return plan::Plan{{}, {}, std::move(made)};
}

namespace {

/// The peak of an order.
struct Fullest
{
    std::int64_t bytes = 0;
    std::size_t place = 0; ///< in the order, the first one
    std::size_t count = 0; ///< of places that are as full

    [[nodiscard]] bool isBelow(const Fullest& other) const
    {
        return bytes != other.bytes ? bytes < other.bytes : count < other.count;
    }
};

/// The storages that an op uses, and those of them that it writes.
struct Touched
{
    std::set<std::size_t> used;
    std::set<std::size_t> written;
};

class StepOrders
{
public:
    explicit StepOrders(const plan::Problem& problem)
        : m_program{*problem.step()}
        , m_ops{static_cast<std::uint32_t>(problem.step()->countBeforeOptimizer())}
        , m_forward{static_cast<std::uint32_t>(problem.step()->forwardCount())}
        , m_before(m_ops)
        , m_behind(m_ops)
        , m_usedBy(problem.step()->storages.size())
        , m_bytes(problem.step()->storages.size(), 0)
        , m_isKept(problem.step()->storages.size(), false)
    {
        const plan::EvaluationPtr evaluation =
            plan::evaluate(problem, plan::keepEverything(plan::Runtime::CompiledStep));
        for (std::size_t index = 0; index < m_bytes.size(); ++index) {
            const graph::Storage& storage = m_program.storages[index];
            if (storage.alloc < 0 || storage.alloc >= static_cast<graph::OpIndex>(m_ops))
                continue;
            m_bytes[index] = graph::rounded(storage.bytes, problem.rounding).count();
            m_isKept[index] =
                evaluation->schedule->instances[index].free >= static_cast<std::int32_t>(m_ops);
            m_usedBy[index].push_back(static_cast<std::uint32_t>(storage.alloc));
        }
        addEdges();
    }

    [[nodiscard]] Order lowest(const base::JobContext& job) const
    {
        Order recorded(m_ops);
        std::iota(recorded.begin(), recorded.end(), 0U);
        Order best = recorded;
        Fullest least = fullestOf(recorded);
        for (Order order : {recorded, runnersOrder(releasing())}) {
            Fullest fullest = fullestOf(order);
            std::size_t left = kOpsVisited / 2;
            while (improve(order, fullest, left, job))
                job.report(kOpsVisited / 2 - left, kOpsVisited / 2);
            if (fullest.bytes < least.bytes) {
                least = fullest;
                best = std::move(order);
            }
        }
        return best;
    }

private:
    [[nodiscard]] Touched touchedBy(const graph::Op& op) const
    {
        Touched touched;
        for (const graph::TensorId tensor : op.writes)
            touched.written.insert(m_program.tensor(tensor).storage.index());
        touched.used = touched.written;
        for (const std::vector<graph::TensorId>* tensors : {&op.reads, &op.outputs})
            for (const graph::TensorId tensor : *tensors)
                touched.used.insert(m_program.tensor(tensor).storage.index());
        return touched;
    }

    /// Every op sees the same values as recorded: the same reads come between two writes. Random
    /// ops, collectives and ops that the model's own checkpoint recomputes keep their order.
    void addEdges()
    {
        constexpr std::uint32_t kNobody = UINT32_MAX;
        std::vector<std::uint32_t> writer(m_bytes.size(), kNobody); // by storage: the last writer
        std::vector<Order> readers(m_bytes.size());                 // by storage: since that write
        std::uint32_t drawer = kNobody;
        const auto edge = [&](std::uint32_t first, std::uint32_t second) {
            if (first == kNobody || first == second)
                return;
            m_before[second].push_back(first);
            m_behind[first].push_back(second);
        };
        for (std::uint32_t op = 0; op < m_ops; ++op) {
            const graph::Op& row = m_program.ops[op];
            const Touched touched = touchedBy(row);
            for (const std::size_t storage : touched.used) {
                edge(writer[storage], op);
                const bool makes =
                    m_program.storages[storage].alloc == static_cast<graph::OpIndex>(op);
                if (!makes && m_bytes[storage] > 0)
                    m_usedBy[storage].push_back(op);
                if (!makes && !touched.written.contains(storage)) {
                    readers[storage].push_back(op);
                    continue;
                }
                for (const std::uint32_t reader : std::exchange(readers[storage], {}))
                    edge(reader, op);
                writer[storage] = op;
            }
            if (row.isRandom || row.isCollective || row.recomputeOf)
                edge(std::exchange(drawer, op), op);
        }
    }

    [[nodiscard]] Fullest fullestOf(const Order& order) const
    {
        const std::vector<std::size_t> places = placesOf(order);
        std::vector<std::int64_t> change(m_ops + 1, 0);
        for (std::size_t storage = 0; storage < m_bytes.size(); ++storage) {
            if (m_bytes[storage] == 0)
                continue;
            const Order& users = m_usedBy[storage];
            std::size_t last = 0;
            for (const std::uint32_t user : users)
                last = std::max(last, places[user]);
            change[places[users.front()]] += m_bytes[storage];
            if (!m_isKept[storage])
                change[last + 1] -= m_bytes[storage];
        }
        Fullest fullest;
        std::int64_t live = 0;
        for (std::size_t place = 0; place < order.size(); ++place) {
            live += change[place];
            if (live > fullest.bytes)
                fullest = {live, place, 0};
            fullest.count += live == fullest.bytes ? 1 : 0;
        }
        return fullest;
    }

    /// The bytes by which an op raises the live memory if it runs next.
    [[nodiscard]] std::int64_t addedBy(std::uint32_t op, const std::vector<std::size_t>& storages,
                                       const std::vector<std::size_t>& usesLeft) const
    {
        std::int64_t bytes = 0;
        for (const std::size_t storage : storages) {
            bytes += m_usedBy[storage].front() == op ? m_bytes[storage] : 0;
            bytes -= usesLeft[storage] == 1 && !m_isKept[storage] ? m_bytes[storage] : 0;
        }
        return bytes;
    }

    /// Greedy order: always the op that adds the least memory, on a tie the first recorded.
    [[nodiscard]] Order releasing() const
    {
        std::vector<std::size_t> waitsFor(m_ops);              // by op: number of predecessors left
        std::vector<std::size_t> usesLeft(m_bytes.size());     // by storage
        std::vector<std::vector<std::size_t>> storages(m_ops); // by op: the storages it uses
        for (std::size_t storage = 0; storage < m_bytes.size(); ++storage) {
            usesLeft[storage] = m_usedBy[storage].size();
            for (const std::uint32_t op : m_usedBy[storage])
                storages[op].push_back(storage);
        }
        std::set<std::uint32_t> ready;
        for (std::uint32_t op = 0; op < m_ops; ++op)
            if ((waitsFor[op] = m_before[op].size()) == 0)
                ready.insert(op);
        const auto added = [&](std::uint32_t op) { return addedBy(op, storages[op], usesLeft); };
        Order order;
        while (order.size() < m_ops) {
            // Backward begins with its first op, after forward and loss.
            const bool isForward = order.size() < m_forward;
            const auto end = ready.lower_bound(isForward ? m_forward : m_ops);
            auto next = order.size() == m_forward ? ready.find(m_forward) : ready.begin();
            if (order.size() != m_forward)
                next = std::min_element(ready.begin(), end, [&](std::uint32_t a, std::uint32_t b) {
                    return added(a) < added(b);
                });
            const std::uint32_t op = *next;
            ready.erase(next);
            order.push_back(op);
            for (const std::size_t storage : storages[op])
                --usesLeft[storage];
            for (const std::uint32_t behind : m_behind[op])
                if (--waitsFor[behind] == 0)
                    ready.insert(behind);
        }
        return order;
    }

    /// Delays the op: moves it, the ops that only it needs and its users before `place` to right
    /// before the next op that needs them. Empty if the op at `place` needs it.
    [[nodiscard]] Order delayed(const Order& order, const std::vector<std::size_t>& places,
                                std::uint32_t op, std::size_t place) const
    {
        std::set<std::size_t> group;
        std::vector<std::uint32_t> open{op};
        while (!open.empty()) {
            const std::uint32_t next = open.back();
            open.pop_back();
            if (places[next] > place || group.contains(places[next]))
                continue;
            if (places[next] == place || group.size() == kMostMoved || next == m_forward)
                return {};
            group.insert(places[next]);
            open.insert(open.end(), m_behind[next].begin(), m_behind[next].end());
        }
        const auto isFree = [&](std::uint32_t candidate) {
            return !m_behind[candidate].empty()
                   && std::all_of(
                       m_behind[candidate].begin(), m_behind[candidate].end(),
                       [&](std::uint32_t behind) { return group.contains(places[behind]); });
        };
        const std::size_t first = places[op] - std::min(places[op], kReach);
        for (std::size_t at = places[op]; at-- > first && group.size() < kMostMoved;)
            if (isFree(order[at]) && order[at] != m_forward
                && (order[at] < m_forward) == (op < m_forward))
                group.insert(at);
        std::size_t target = op < m_forward ? m_forward : m_ops; // stay within the phase
        for (const std::size_t member : group)
            for (const std::uint32_t behind : m_behind[order[member]])
                if (!group.contains(places[behind]))
                    target = std::min(target, places[behind]);
        return moved(order, group, target);
    }

    /// Moves ops and their inputs from after `place` to before it. Empty if they need the op there.
    [[nodiscard]] Order hastened(const Order& order, const std::vector<std::size_t>& places,
                                 std::vector<std::uint32_t> ops, std::size_t place) const
    {
        std::set<std::size_t> group;
        while (!ops.empty()) {
            const std::uint32_t next = ops.back();
            ops.pop_back();
            if (places[next] < place || group.contains(places[next]))
                continue;
            if (places[next] == place || group.size() == kMostMoved
                || (next < m_forward) != (order[place] < m_forward))
                return {};
            group.insert(places[next]);
            ops.insert(ops.end(), m_before[next].begin(), m_before[next].end());
        }
        return moved(order, group, place);
    }

    /// The orders that result from each move around a place.
    [[nodiscard]] std::vector<Order> movesAt(const Order& order, std::size_t place) const
    {
        const std::vector<std::size_t> places = placesOf(order);
        std::vector<Order> moves;
        const auto add = [&](const Order& made) {
            if (Order ours = runnersOrder(made); !ours.empty() && ours != order)
                moves.push_back(std::move(ours));
        };
        if (place == m_forward) // it stays in place, and nothing moves before it
            return moves;
        const std::size_t begin = place < m_forward ? 0 : m_forward + 1;
        for (std::size_t at = place; at-- > begin && place - at < kReach;)
            add(delayed(order, places, order[at], place));
        // All remaining users of a value, so that it is freed.
        for (std::size_t storage = 0; storage < m_bytes.size(); ++storage) {
            const Order& users = m_usedBy[storage];
            if (m_bytes[storage] == 0 || m_isKept[storage] || places[users.front()] >= place)
                continue;
            std::vector<std::uint32_t> left;
            for (const std::uint32_t user : users)
                if (places[user] >= place)
                    left.push_back(user);
            if (!left.empty())
                add(hastened(order, places, std::move(left), place));
        }
        return moves;
    }

    /// Applies the best of the moves at the fullest place. Returns false if none is better.
    [[nodiscard]] bool improve(Order& order, Fullest& fullest, std::size_t& left,
                               const base::JobContext& job) const
    {
        bool isBetter = false;
        for (Order& next : movesAt(order, fullest.place)) {
            if (left < m_ops || job.stopRequested())
                break;
            left -= m_ops;
            if (const Fullest found = fullestOf(next); found.isBelow(fullest)) {
                fullest = found;
                order = std::move(next);
                isBetter = true;
            }
        }
        return isBetter;
    }

    const graph::Program& m_program;
    std::uint32_t m_ops;               ///< of forward, loss and backward
    std::uint32_t m_forward;           ///< of forward and loss
    std::vector<Order> m_before;       ///< by op: each needs all of these before it
    std::vector<Order> m_behind;       ///< by op
    std::vector<Order> m_usedBy;       ///< by storage that the runner manages
    std::vector<std::int64_t> m_bytes; ///< by storage, 0: not managed
    std::vector<bool> m_isKept;        ///< by storage: outlives the runner's ops
};

} // namespace

StepOrder lowestOrder(const plan::Problem& problem, const base::JobContext& job)
{
    return StepOrders{problem}.lowest(job);
}

} // namespace plimsoll::solve
