// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/model_code.h"
#include "core/solve/regions/region_space.h"
#include "core/solve/regions/savable.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace plimsoll::solve {

using graph::CallId;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

namespace {

/// By forward or loss op: the earliest end of a region that contains it.
std::vector<OpIndex> leastEnds(const graph::Program& program)
{
    const auto count = static_cast<OpIndex>(program.forwardCount());
    std::vector<std::vector<OpIndex>> writes(program.storages.size());
    for (OpIndex at = 0; at < count; ++at)
        for (const TensorId tensor : program.ops[static_cast<std::size_t>(at)].writes)
            if (program.storageOf(tensor).alloc >= 0)
                writes[program.tensor(tensor).storage.index()].push_back(at);
    std::set<std::pair<OpIndex, OpIndex>> stops; // op that has run by then, op that saves
    for (const graph::Saved& row : program.saved) {
        const auto saver = static_cast<OpIndex>(row.op.index());
        stops.emplace(row.afterKernel ? saver : saver - 1, saver);
    }
    std::vector<OpIndex> least(program.forwardCount(), graph::kBeforeStep);
    for (const graph::Saved& row : program.saved) {
        const std::vector<OpIndex>& those = writes[program.tensor(row.tensor).storage.index()];
        const auto at = static_cast<OpIndex>(row.op.index());
        if (!row.unpack || at >= count || those.empty() || those.back() <= at)
            continue;
        const auto stop = stops.lower_bound({those.back(), those.back()});
        OpIndex& end = least[row.op.index()];
        end = std::max(end, stop == stops.end() ? count : stop->second);
    }
    return least;
}

/// By forward or loss op: the newest op up to it that a region ending there must not contain;
/// kBeforeStep if there is none. Slices of one storage (unsafe_split's, a GRU's gates) may be
/// written after another slice is saved. A recomputation must reach these writes, but stops where
/// the region's last saved tensor is made.
std::vector<OpIndex> newestUnwritten(const graph::Program& program)
{
    const std::vector<OpIndex> least = leastEnds(program);
    std::vector<OpIndex> newest(least.size(), graph::kBeforeStep);
    std::vector<std::size_t> open; // ops that need a later end, rising
    for (std::size_t at = 0; at < least.size(); ++at) {
        open.push_back(at);
        while (!open.empty() && least[open.back()] <= static_cast<OpIndex>(at))
            open.pop_back();
        if (!open.empty())
            newest[at] = static_cast<OpIndex>(open.back());
    }
    return newest;
}

/// Knows every run of module calls that is a legal region (REGIONS in
/// core/lower/checkpoint/LIFETIMES.md) and its member calls. If several lists of calls cover the
/// same ops, the shortest list, that of the outermost calls, is used.
class RegionsOfCalls final : public RegionSpace
{
public:
    explicit RegionsOfCalls(const graph::Program& program)
        : m_program{program}
        , m_forwardOps{static_cast<OpIndex>(program.forwardCount())}
        , m_python{plan::recordedPythonHolds(program)}
        , m_unwritten{newestUnwritten(program)}
    {
        indexUses();
        indexCalls();
        indexResults();
    }

    [[nodiscard]] plan::Granularity granularity() const override
    {
        return plan::Granularity::Module;
    }

    /// The calls that cover first..last, in order. O(ops between).
    [[nodiscard]] std::vector<CallId> members(OpIndex first, OpIndex last) const override
    {
        if (first < 0 || last >= m_forwardOps || first > last)
            return {};
        for (const CallId head : m_beginning[static_cast<std::size_t>(first)]) {
            const std::span<const CallId> run = runFrom(head, last);
            if (!run.empty() && m_program.call(run.back()).last == last && mayEnd(head, run.back()))
                return {run.begin(), run.end()};
        }
        return {};
    }

    /// O(ops of the longest region).
    [[nodiscard]] std::vector<OpIndex> endsFrom(OpIndex first) const override
    {
        std::vector<OpIndex> ends;
        for (const CallId head : m_beginning[static_cast<std::size_t>(first)])
            for (const CallId tail : runFrom(head, m_forwardOps))
                if (mayEnd(head, tail))
                    ends.push_back(m_program.call(tail).last);
        std::ranges::sort(ends);
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        return ends;
    }

private:
    void indexCalls()
    {
        m_beginning.resize(static_cast<std::size_t>(m_forwardOps));
        m_children.resize(m_program.calls.size() + 1);
        m_place.assign(m_program.calls.size(), 0);
        for (std::size_t index = 0; index < m_program.calls.size(); ++index) { // parents come first
            const graph::Call& call = m_program.calls[index];
            if (call.isEmpty() || call.last >= m_forwardOps)
                continue;
            std::vector<CallId>& siblings =
                call.parent ? m_children[call.parent->index()] : m_children.back();
            m_place[index] = siblings.size();
            siblings.emplace_back(index);
            m_beginning[static_cast<std::size_t>(call.first)].emplace_back(index);
        }
    }

    void indexUses()
    {
        m_lastUse = lastForwardUses(m_program);
        m_lastWrite.assign(m_program.storages.size(), graph::kBeforeStep);
        for (OpIndex at = 0; at < m_forwardOps; ++at)
            for (const TensorId tensor : m_program.ops[static_cast<std::size_t>(at)].writes)
                m_lastWrite[m_program.tensor(tensor).storage.index()] = at;
        m_fixed.assign(static_cast<std::size_t>(m_forwardOps), false);
        for (const graph::Saved& row : m_program.saved)
            if (row.unpack && *row.unpack < m_forwardOps
                && row.op.index() < static_cast<std::size_t>(m_forwardOps))
                m_fixed[row.op.index()] = true;
        for (const graph::Op& op : m_program.ops)
            if (op.recomputeOf && op.recomputeOf->index() < m_fixed.size())
                m_fixed[op.recomputeOf->index()] = true;
    }

    [[nodiscard]] bool mayFollow(CallId previous, CallId next, CallId head) const
    {
        const graph::Call& before = m_program.call(previous);
        const graph::Call& after = m_program.call(next);
        const graph::Call& first = m_program.call(head);
        if (after.first != before.last + 1 || before.outputs.size() != 1 || after.inputs.empty()
            || after.inputs.front() != before.outputs.front()
            || !isCalledAlike(first, before, after))
            return false;
        return std::equal(after.inputs.begin() + 1, after.inputs.end(),
                          first.inputs.empty() ? first.inputs.begin() : first.inputs.begin() + 1,
                          first.inputs.end());
    }

    /// Rule 2 beyond tensors: the runtime calls every member like the first one, with the passed
    /// value in place of the first tensor. Recordings without this information are trusted.
    [[nodiscard]] bool isCalledAlike(const graph::Call& head, const graph::Call& before,
                                     const graph::Call& after) const
    {
        const auto standsAlone = [](const graph::Structure& structure) {
            return !structure.slots.empty() && structure.slots.front() == graph::Slot{};
        };
        if (before.result) {
            const graph::Structure& given = m_program.structure(*before.result);
            if (given.slots.size() != 1 || !standsAlone(given))
                return false;
        }
        if (!head.arguments || !after.arguments)
            return true;
        const graph::Structure& call = m_program.structure(*after.arguments);
        return standsAlone(call)
               && (head.arguments == after.arguments
                   || m_program.structure(*head.arguments) == call);
    }

    [[nodiscard]] bool has(const std::vector<TensorId>& tensors, StorageId storage) const
    {
        return std::ranges::any_of(
            tensors, [&](TensorId tensor) { return m_program.tensor(tensor).storage == storage; });
    }

    /// Rule 3, for any region that ends with the call: a value made inside and used outside must be
    /// a result of the last member.
    void indexResults()
    {
        m_newestUnreturned.assign(m_program.calls.size(), graph::kBeforeStep);
        std::vector<std::vector<std::size_t>> ending(static_cast<std::size_t>(m_forwardOps));
        for (std::size_t index = 0; index < m_program.calls.size(); ++index) {
            const graph::Call& call = m_program.calls[index];
            if (!call.isEmpty() && call.last < m_forwardOps)
                ending[static_cast<std::size_t>(call.last)].push_back(index);
        }
        std::vector<std::vector<StorageId>> allocated(static_cast<std::size_t>(m_forwardOps));
        for (std::size_t storage = 0; storage < m_program.storages.size(); ++storage) {
            const OpIndex alloc = m_program.storages[storage].alloc;
            if (alloc >= 0 && alloc < m_forwardOps)
                allocated[static_cast<std::size_t>(alloc)].emplace_back(storage);
        }
        std::set<std::pair<OpIndex, StorageId>> needed; // after an op, by the op that allocates it
        const auto isNeeded = [this](StorageId storage, OpIndex behind) {
            return m_lastUse[storage.index()] > behind
                   || m_program.storage(storage).free == graph::kNever;
        };
        for (OpIndex at = 0; at < m_forwardOps; ++at) {
            for (const StorageId storage : allocated[static_cast<std::size_t>(at)])
                needed.emplace(at, storage);
            const auto drop = [&](StorageId storage) {
                if (!isNeeded(storage, at))
                    needed.erase({m_program.storage(storage).alloc, storage});
            };
            for (const StorageId storage : allocated[static_cast<std::size_t>(at)])
                drop(storage);
            const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
            for (const std::vector<TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
                for (const TensorId tensor : *tensors)
                    drop(m_program.tensor(tensor).storage);
            for (const std::size_t call : ending[static_cast<std::size_t>(at)]) {
                const auto newest =
                    std::find_if(needed.rbegin(), needed.rend(), [&](const auto& entry) {
                        return !has(m_program.calls[call].outputs, entry.second);
                    });
                if (newest != needed.rend())
                    m_newestUnreturned[call] = newest->first;
            }
        }
    }

    /// Rules 4, 5, 6 and 9 for one member of a region that `head` begins: older values that it
    /// reads are arguments or never freed, and aren't modified; of older storages it writes only
    /// buffers.
    [[nodiscard]] bool mayRunAgain(const graph::Call& member, const graph::Call& head) const
    {
        const graph::Module& module = m_program.module(member.module);
        if (module.hasHooks || module.isCalledDirectly)
            return false;
        for (OpIndex at = member.first; at <= member.last; ++at) {
            const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
            if (op.isCollective || op.phase != graph::Phase::Forward
                || m_fixed[static_cast<std::size_t>(at)])
                return false;
            const auto isOlder = [&](TensorId tensor) {
                return m_program.storageOf(tensor).alloc < head.first;
            };
            const auto overwrites = [&](TensorId tensor) {
                return isOlder(tensor)
                       && m_program.storageOf(tensor).storageClass != graph::StorageClass::Buffer;
            };
            const auto captures = [&](TensorId tensor) {
                const StorageId storage = m_program.tensor(tensor).storage;
                const bool lasting = m_program.storage(storage).alloc < 0
                                     && m_python[storage.index()] == graph::kNever;
                return isOlder(tensor) && !lasting && !has(head.inputs, storage);
            };
            const auto changes = [&](TensorId tensor) {
                const StorageId storage = m_program.tensor(tensor).storage;
                return m_program.storage(storage).alloc < 0 && !has(head.inputs, storage)
                       && m_lastWrite[storage.index()] >= head.first && !has(op.writes, storage);
            };
            if (std::ranges::any_of(op.writes, overwrites)
                || std::ranges::any_of(op.reads, captures)
                || std::ranges::any_of(op.reads, changes))
                return false;
        }
        return true;
    }

    /// Rule 2: only the next member uses the value that `giver` passes on. Uses after the region
    /// are rule 3's concern.
    [[nodiscard]] bool passesPrivately(const graph::Call& giver, const graph::Call& head) const
    {
        const StorageId storage = m_program.tensor(giver.outputs.front()).storage;
        const OpIndex alloc = m_program.storage(storage).alloc;
        return alloc >= head.first && alloc <= giver.last
               && m_python[storage.index()] < m_forwardOps;
    }

    /// Whether a region that `head` begins may end with a call: checks the rules whose answer
    /// changes as members are added.
    [[nodiscard]] bool mayEnd(CallId head, CallId tail) const
    {
        const graph::Call& first = m_program.call(head);
        const graph::Call& last = m_program.call(tail);
        if (head != tail && last.result && m_program.structure(*last.result).slots.empty())
            return false;
        const bool inputsStay = std::ranges::all_of(first.inputs, [&](TensorId input) {
            return m_lastWrite[m_program.tensor(input).storage.index()] <= last.last;
        });
        return inputsStay && m_newestUnreturned[tail.index()] < first.first
               && m_unwritten[static_cast<std::size_t>(last.last)] < first.first;
    }

    /// The calls from `head` on that may be members of one region, judged by their own ops and the
    /// values they pass on; none begins after `last`.
    [[nodiscard]] std::span<const CallId> runFrom(CallId head, OpIndex last) const
    {
        const graph::Call& first = m_program.call(head);
        const std::vector<CallId>& siblings =
            first.parent ? m_children[first.parent->index()] : m_children.back();
        const std::size_t begin = m_place[head.index()];
        std::size_t end = begin;
        const auto mayAdd = [&](CallId next) {
            return end == begin
                   || (mayFollow(siblings[end - 1], next, head)
                       && passesPrivately(m_program.call(siblings[end - 1]), first));
        };
        while (end < siblings.size() && m_program.call(siblings[end]).first <= last
               && mayAdd(siblings[end]) && mayRunAgain(m_program.call(siblings[end]), first))
            ++end;
        return std::span{siblings}.subspan(begin, end - begin);
    }

    const graph::Program& m_program;
    OpIndex m_forwardOps = 0;
    std::vector<OpIndex> m_python;  ///< by storage: p(S) of LIFETIMES.md
    std::vector<OpIndex> m_lastUse; ///< by storage: last forward or loss op that has to do with it
    std::vector<OpIndex> m_lastWrite; ///< by storage: last of those that writes it in place
    /// By call: op that made the newest storage that is needed after it and not returned by it.
    std::vector<OpIndex> m_newestUnreturned;
    std::vector<OpIndex> m_unwritten; ///< newestUnwritten()
    /// By forward op: forward unpacks what it saves, or backward recomputes it anyway.
    std::vector<bool> m_fixed;
    /// By forward op: calls that begin with it, outer ones first.
    std::vector<std::vector<CallId>> m_beginning;
    /// By call, in order; the last entry holds those without a parent.
    std::vector<std::vector<CallId>> m_children;
    std::vector<std::size_t> m_place; ///< by call: among its siblings
};

/// The next uses of storages that are still to be overwritten, in a walk from the last op to the
/// first. A region that begins after such a storage was made can't contain a use of it.
class PendingWrites
{
public:
    explicit PendingWrites(const graph::Program& program)
        : m_program{program}
        , m_lastWrite(program.storages.size(), graph::kBeforeStep)
        , m_nextUse(program.storages.size(), graph::kNever)
        , m_nextRead(program.storages.size(), graph::kNever)
        , m_allocated(program.forwardCount())
    {
        const auto count = static_cast<OpIndex>(program.forwardCount());
        for (OpIndex at = 0; at < count; ++at)
            for (const TensorId tensor : program.ops[static_cast<std::size_t>(at)].writes)
                m_lastWrite[program.tensor(tensor).storage.index()] = at;
        for (std::size_t storage = 0; storage < program.storages.size(); ++storage)
            if (const OpIndex alloc = program.storages[storage].alloc; alloc >= 0 && alloc < count)
                m_allocated[static_cast<std::size_t>(alloc)].push_back(storage);
    }

    void stepBackTo(OpIndex at)
    {
        for (const std::size_t storage : m_allocated[static_cast<std::size_t>(at)])
            setNextUse(storage, graph::kNever); // a region beginning here makes it
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        for (const TensorId tensor : op.writes) {
            const std::size_t storage = m_program.tensor(tensor).storage.index();
            if (!isBuffer(storage))
                meet(storage, at);
            else if (m_nextRead[storage] != graph::kNever) // it would read the second write
                setNextUse(storage, m_nextRead[storage]);
        }
        for (const TensorId tensor : op.reads) {
            const std::size_t storage = m_program.tensor(tensor).storage.index();
            if (isBuffer(storage) && writes(op, storage))
                continue; // running statistics may be updated twice
            m_nextRead[storage] = at;
            meet(storage, at);
        }
    }

    [[nodiscard]] OpIndex nearest() const
    {
        return m_uses.empty() ? graph::kNever : *m_uses.begin();
    }

private:
    [[nodiscard]] bool isBuffer(std::size_t storage) const
    {
        return m_program.storages[storage].storageClass == graph::StorageClass::Buffer;
    }
    [[nodiscard]] bool writes(const graph::Op& op, std::size_t storage) const
    {
        return std::ranges::any_of(op.writes, [&](TensorId tensor) {
            return m_program.tensor(tensor).storage.index() == storage;
        });
    }
    void meet(std::size_t storage, OpIndex at)
    {
        if (m_program.storages[storage].alloc < at && m_lastWrite[storage] >= at)
            setNextUse(storage, at);
    }
    void setNextUse(std::size_t storage, OpIndex use)
    {
        if (m_nextUse[storage] != graph::kNever)
            m_uses.erase(m_uses.find(m_nextUse[storage]));
        m_nextUse[storage] = use;
        if (use != graph::kNever)
            m_uses.insert(use);
    }

    const graph::Program& m_program;
    std::vector<OpIndex> m_lastWrite; ///< by storage, in forward and loss
    std::vector<OpIndex> m_nextUse;   ///< by storage
    std::vector<OpIndex> m_nextRead;  ///< by storage: by an op that doesn't write it
    std::multiset<OpIndex> m_uses;
    std::vector<std::vector<std::size_t>> m_allocated; ///< by forward or loss op
};

/// Legal regions between ops (REGIONS AT OP GRANULARITY in core/lower/checkpoint/LIFETIMES.md):
/// from each op, all runs up to a longest one.
class RegionsOfOps final : public RegionSpace
{
public:
    explicit RegionsOfOps(const graph::Program& program)
    {
        const plan::ModelCode code{program};
        m_unwritten = newestUnwritten(program);
        m_first = code.first();
        for (OpIndex at = code.first(); at <= code.last(); ++at)
            m_isEnd.push_back(!code.isCopyForNext(at));
        m_barrier.assign(static_cast<std::size_t>(code.last() - code.first() + 1), 0);
        std::vector<bool> isOnce(program.ops.size(), false); // can't be recomputed
        const auto forward = static_cast<OpIndex>(program.forwardCount());
        for (const graph::Saved& row : program.saved)
            if (row.unpack && *row.unpack < forward)
                isOnce[row.op.index()] = true;
        // Plans between ops don't support models that use checkpointing themselves.
        if (std::ranges::any_of(program.ops,
                                [](const graph::Op& op) { return op.recomputeOf.has_value(); }))
            isOnce.assign(program.ops.size(), true);
        PendingWrites writes{program};
        for (OpIndex at = forward - 1; at > code.last(); --at)
            writes.stepBackTo(at);
        OpIndex end = code.last() + 1;
        for (OpIndex at = code.last(); at >= code.first(); --at) {
            const auto op = static_cast<std::size_t>(at);
            if (program.ops[op].isCollective || isOnce[op])
                end = at;
            writes.stepBackTo(at);
            m_barrier[static_cast<std::size_t>(at - m_first)] = std::min(end, writes.nearest());
        }
    }

    [[nodiscard]] plan::Granularity granularity() const override { return plan::Granularity::Op; }
    [[nodiscard]] std::vector<OpIndex> endsFrom(OpIndex first) const override
    {
        if (first < m_first || static_cast<std::size_t>(first - m_first) >= m_barrier.size())
            return {};
        const OpIndex barrier = m_barrier[static_cast<std::size_t>(first - m_first)];
        std::vector<OpIndex> ends;
        ends.reserve(static_cast<std::size_t>(barrier - first));
        for (OpIndex end = first; end < barrier; ++end)
            if (m_isEnd[static_cast<std::size_t>(end - m_first)]
                && m_unwritten[static_cast<std::size_t>(end)] < first)
                ends.push_back(end);
        return ends;
    }
    [[nodiscard]] std::vector<CallId> members(OpIndex /*first*/, OpIndex /*last*/) const override
    {
        return {};
    }

private:
    OpIndex m_first = 0;
    /// By op of the model, from m_first on: the first op that a region beginning here can't hold.
    std::vector<OpIndex> m_barrier;
    std::vector<OpIndex> m_unwritten; ///< newestUnwritten()
    std::vector<bool> m_isEnd;        ///< by op of the model: a region may end there
};

} // namespace

std::unique_ptr<const RegionSpace> makeRegionSpace(const graph::Program& program,
                                                   plan::Granularity granularity)
{
    if (granularity == plan::Granularity::Op)
        return std::make_unique<RegionsOfOps>(program);
    return std::make_unique<RegionsOfCalls>(program);
}

} // namespace plimsoll::solve
