// SPDX-License-Identifier: Apache-2.0
#include "core/solve/common/region_finder.h"

#include "core/plan/python_holds.h"

#include <algorithm>

namespace plimsoll::solve {

using graph::CallId;
using graph::Moment;
using graph::StorageId;
using graph::TensorId;

RegionFinder::RegionFinder(const graph::Program& program)
    : m_program{program}
    , m_forwardOps{static_cast<Moment>(program.forwardCount())}
    , m_python{plan::recordedPythonHolds(program)}
{
    indexUses();
    indexCalls();
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
    m_allocated.resize(static_cast<std::size_t>(m_forwardOps));
    for (Moment at = 0; at < m_forwardOps; ++at) {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        for (const std::vector<TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
            for (const TensorId tensor : *tensors) {
                const std::size_t storage = m_program.tensor(tensor).storage.index();
                m_lastUse[storage] = at;
            }
        for (const TensorId tensor : op.writes)
            m_lastWrite[m_program.tensor(tensor).storage.index()] = at;
    }
    m_unpackedEarly.assign(static_cast<std::size_t>(m_forwardOps), false);
    for (const graph::Saved& row : m_program.saved)
        if (row.unpack && *row.unpack < m_forwardOps
            && row.op.index() < static_cast<std::size_t>(m_forwardOps))
            m_unpackedEarly[row.op.index()] = true;
    for (std::size_t storage = 0; storage < m_program.storages.size(); ++storage) {
        const Moment alloc = m_program.storages[storage].alloc;
        if (alloc >= 0 && alloc < m_forwardOps)
            m_allocated[static_cast<std::size_t>(alloc)].emplace_back(storage);
    }
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

bool RegionFinder::isLegal(std::span<const CallId> members) const
{
    const graph::Call& head = m_program.call(members.front());
    const graph::Call& tail = m_program.call(members.back());
    const Moment last = tail.last;
    const auto hasHooks = [&](CallId member) {
        return m_program.module(m_program.call(member).module).hasHooks;
    };
    if (std::any_of(members.begin(), members.end(), hasHooks))
        return false;
    if (members.size() > 1 && tail.result && m_program.structure(*tail.result).slots.empty())
        return false;
    for (Moment at = head.first; at <= last; ++at) {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        if (op.isCollective || op.phase != graph::Phase::Forward
            || m_unpackedEarly[static_cast<std::size_t>(at)])
            return false;
    }
    const bool inputsStay =
        std::all_of(head.inputs.begin(), head.inputs.end(), [&](TensorId input) {
            return m_lastWrite[m_program.tensor(input).storage.index()] <= last;
        });
    return inputsStay && readsAreThere(members) && resultsAreReturned(members)
           && passesPrivately(members);
}

/// Rules 4 and 5: what the interval reads from before is an argument or never goes away; it writes
/// none of it but buffers.
bool RegionFinder::readsAreThere(std::span<const CallId> members) const
{
    const graph::Call& head = m_program.call(members.front());
    const Moment last = m_program.call(members.back()).last;
    for (Moment at = head.first; at <= last; ++at) {
        const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
        for (const TensorId tensor : op.writes) {
            const graph::Storage& storage = m_program.storageOf(tensor);
            if (storage.alloc < head.first && storage.storageClass != graph::StorageClass::Buffer)
                return false;
        }
        for (const TensorId tensor : op.reads) {
            const graph::Storage& storage = m_program.storageOf(tensor);
            const bool lasting =
                storage.alloc < 0
                && m_python[m_program.tensor(tensor).storage.index()] == graph::kNever;
            if (storage.alloc < head.first && !lasting
                && !has(head.inputs, m_program.tensor(tensor).storage))
                return false;
        }
    }
    return true;
}

/// Rule 3: what is made inside and used outside comes out as a result of the last member.
bool RegionFinder::resultsAreReturned(std::span<const CallId> members) const
{
    const Moment first = m_program.call(members.front()).first;
    const graph::Call& tail = m_program.call(members.back());
    for (Moment at = first; at <= tail.last; ++at)
        for (const StorageId storage : m_allocated[static_cast<std::size_t>(at)]) {
            const bool needed = m_lastUse[storage.index()] > tail.last
                                || m_program.storage(storage).free == graph::kNever;
            if (needed && !has(tail.outputs, storage))
                return false;
        }
    return true;
}

/// Rule 2: nobody but the next member has a use for a value that is passed on.
bool RegionFinder::passesPrivately(std::span<const CallId> members) const
{
    const Moment first = m_program.call(members.front()).first;
    const graph::Call& tail = m_program.call(members.back());
    for (const CallId member : members.first(members.size() - 1)) {
        const StorageId storage = m_program.tensor(m_program.call(member).outputs.front()).storage;
        const graph::Storage& value = m_program.storage(storage);
        const bool shared = m_lastUse[storage.index()] > tail.last && !has(tail.outputs, storage);
        if (value.alloc < first || shared || m_python[storage.index()] >= m_forwardOps)
            return false;
    }
    return true;
}

std::vector<CallId> RegionFinder::members(Moment first, Moment last) const
{
    if (first < 0 || last >= m_forwardOps || first > last)
        return {};
    for (const CallId head : m_beginning[static_cast<std::size_t>(first)]) {
        const graph::Call& call = m_program.call(head);
        const std::vector<CallId>& siblings =
            call.parent ? m_children[call.parent->index()] : m_children.back();
        std::size_t end = m_place[head.index()];
        while (m_program.call(siblings[end]).last < last && end + 1 < siblings.size()
               && mayFollow(siblings[end], siblings[end + 1], head))
            ++end;
        const auto begin = siblings.begin() + static_cast<std::ptrdiff_t>(m_place[head.index()]);
        std::vector<CallId> run(begin, siblings.begin() + static_cast<std::ptrdiff_t>(end) + 1);
        if (m_program.call(run.back()).last == last && isLegal(run))
            return run;
    }
    return {};
}

} // namespace plimsoll::solve
