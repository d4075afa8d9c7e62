// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/region_finder.h"

#include "core/lower/checkpoint/model_code.h"
#include "core/solve/regions/unwritten.h"

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::solve {

using graph::CallId;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

namespace {

template <typename Visit>
void forEachTensor(const graph::Op& op, Visit visit)
{
    for (const std::vector<TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
        std::for_each(tensors->begin(), tensors->end(), visit);
}

} // namespace

RegionFinder::RegionFinder(const graph::Program& program)
    : m_program{program}
    , m_forwardOps{static_cast<OpIndex>(program.forwardCount())}
    , m_python{plan::recordedPythonHolds(program)}
    , m_unwritten{newestUnwritten(program)}
{
    indexUses();
    indexCalls();
    indexResults();
}

void RegionFinder::indexCalls()
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

void RegionFinder::indexUses()
{
    m_lastUse.assign(m_program.storages.size(), graph::kBeforeStep);
    m_lastWrite.assign(m_program.storages.size(), graph::kBeforeStep);
    for (OpIndex at = 0; at < m_forwardOps; ++at) {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        forEachTensor(
            op, [&](TensorId tensor) { m_lastUse[m_program.tensor(tensor).storage.index()] = at; });
        for (const TensorId tensor : op.writes)
            m_lastWrite[m_program.tensor(tensor).storage.index()] = at;
    }
    m_fixed.assign(static_cast<std::size_t>(m_forwardOps), false);
    for (const graph::Saved& row : m_program.saved)
        if (row.unpack && *row.unpack < m_forwardOps
            && row.op.index() < static_cast<std::size_t>(m_forwardOps))
            m_fixed[row.op.index()] = true;
    for (const graph::Op& op : m_program.ops)
        if (op.recomputeOf && op.recomputeOf->index() < m_fixed.size())
            m_fixed[op.recomputeOf->index()] = true;
}

bool RegionFinder::mayFollow(CallId previous, CallId next, CallId head) const
{
    const graph::Call& before = m_program.call(previous);
    const graph::Call& after = m_program.call(next);
    const graph::Call& first = m_program.call(head);
    if (after.first != before.last + 1 || before.outputs.size() != 1 || after.inputs.empty()
        || after.inputs.front() != before.outputs.front() || !isCalledAlike(first, before, after))
        return false;
    return std::equal(after.inputs.begin() + 1, after.inputs.end(),
                      first.inputs.empty() ? first.inputs.begin() : first.inputs.begin() + 1,
                      first.inputs.end());
}

/// Rule 2 beyond tensors: the runtime makes the call of every member as it makes the first one's,
/// with the value that is passed on in the place of the first tensor. Files that don't tell are
/// trusted.
bool RegionFinder::isCalledAlike(const graph::Call& head, const graph::Call& before,
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
           && (head.arguments == after.arguments || m_program.structure(*head.arguments) == call);
}

bool RegionFinder::has(const std::vector<TensorId>& tensors, StorageId storage) const
{
    return std::any_of(tensors.begin(), tensors.end(), [&](TensorId tensor) {
        return m_program.tensor(tensor).storage == storage;
    });
}

/// Rule 3, for any region that ends with the call: what is made inside and used outside must come
/// out as a result of the last member.
void RegionFinder::indexResults()
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
    std::set<std::pair<OpIndex, StorageId>> needed; // behind an op, by the op that allocates it
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
        forEachTensor(m_program.ops[static_cast<std::size_t>(at)],
                      [&](TensorId tensor) { drop(m_program.tensor(tensor).storage); });
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

/// Rules 4, 5, 6 and 9 for one member of a region that `head` begins: what it reads from before is
/// an argument or never goes away, and stays as it is; it writes none of it but buffers.
bool RegionFinder::mayRunAgain(const graph::Call& member, const graph::Call& head) const
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
            const bool lasting =
                m_program.storage(storage).alloc < 0 && m_python[storage.index()] == graph::kNever;
            return isOlder(tensor) && !lasting && !has(head.inputs, storage);
        };
        const auto changes = [&](TensorId tensor) {
            const StorageId storage = m_program.tensor(tensor).storage;
            return m_program.storage(storage).alloc < 0 && !has(head.inputs, storage)
                   && m_lastWrite[storage.index()] >= head.first && !has(op.writes, storage);
        };
        if (std::any_of(op.writes.begin(), op.writes.end(), overwrites)
            || std::any_of(op.reads.begin(), op.reads.end(), captures)
            || std::any_of(op.reads.begin(), op.reads.end(), changes))
            return false;
    }
    return true;
}

/// Rule 2: nobody but the next member has a use for what `giver` passes on. Whether anything behind
/// the region has is rule 3's question.
bool RegionFinder::passesPrivately(const graph::Call& giver, const graph::Call& head) const
{
    const StorageId storage = m_program.tensor(giver.outputs.front()).storage;
    const OpIndex alloc = m_program.storage(storage).alloc;
    return alloc >= head.first && alloc <= giver.last && m_python[storage.index()] < m_forwardOps;
}

/// Whether a region that `head` begins may end with a call: what adding members can break and mend.
bool RegionFinder::mayEnd(CallId head, CallId tail) const
{
    const graph::Call& first = m_program.call(head);
    const graph::Call& last = m_program.call(tail);
    if (head != tail && last.result && m_program.structure(*last.result).slots.empty())
        return false;
    const bool inputsStay =
        std::all_of(first.inputs.begin(), first.inputs.end(), [&](TensorId input) {
            return m_lastWrite[m_program.tensor(input).storage.index()] <= last.last;
        });
    return inputsStay && m_newestUnreturned[tail.index()] < first.first
           && m_unwritten[static_cast<std::size_t>(last.last)] < first.first;
}

/// The calls from `head` on that may be members of one region as far as their own ops and what they
/// pass on tell; none that begins behind `last`.
std::span<const CallId> RegionFinder::runFrom(CallId head, OpIndex last) const
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

std::vector<CallId> RegionFinder::members(OpIndex first, OpIndex last) const
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

std::vector<OpIndex> RegionFinder::endsFrom(OpIndex first) const
{
    std::vector<OpIndex> ends;
    for (const CallId head : m_beginning[static_cast<std::size_t>(first)])
        for (const CallId tail : runFrom(head, m_forwardOps))
            if (mayEnd(head, tail))
                ends.push_back(m_program.call(tail).last);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
}

} // namespace plimsoll::solve
