// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/boundary.h"

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll::solve {

using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

Boundary::Boundary(const plan::Problem& problem)
    : m_program{*problem.step()}
    , m_forward{static_cast<OpIndex>(problem.step()->forwardCount())}
    , m_closure{*problem.step()}
    , m_mayGo(m_program.storages.size(), false)
    , m_pinned(m_program.storages.size())
{
    const auto end = static_cast<OpIndex>(m_program.countBeforeOptimizer());
    const std::vector<bool> nothing(m_program.storages.size(), false);
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        const StorageId id{index};
        const graph::Storage& storage = m_program.storages[index];
        if (storage.alloc < 0 || storage.alloc >= m_forward)
            continue;
        const std::vector<OpIndex>& uses = m_closure.usesOf(id);
        const auto first = std::ranges::lower_bound(uses, m_forward);
        if (first == uses.end()) {
            m_mayGo[index] = true; // backward reads it only to compute others again
            continue;
        }
        if (uses.back() >= end || storage.bytes.count() == 0
            || storage.storageClass == graph::StorageClass::Output
            || !m_closure.before(*first, {id}, nothing))
            continue;
        m_mayGo[index] = true;
        m_values.push_back({id, *first});
    }
    // Nobody repeats the op that makes the loss, so what it makes beside the loss stays.
    std::set<OpIndex> makers;
    for (const graph::Storage& storage : m_program.storages)
        if (storage.storageClass == graph::StorageClass::Output)
            makers.insert(storage.alloc);
    const auto isBesideLoss = [&](StorageId id) {
        return makers.contains(m_program.storage(id).alloc);
    };
    std::erase_if(m_values, [&](const Value& value) { return isBesideLoss(value.storage); });
    for (std::size_t storage = 0; storage < m_mayGo.size(); ++storage)
        if (isBesideLoss(StorageId{storage}))
            m_mayGo[storage] = false;
    std::ranges::stable_sort(m_values, {}, &Value::firstUse);
    for (const plan::Pin& pin : problem.pins)
        for (const StorageId storage : pin.storages)
            m_pinned[storage.index()] = pin.kind;
}

Boundary::Attempt Boundary::attempt(const std::vector<bool>& isKept) const
{
    std::vector<bool> isGone = m_mayGo;
    for (std::size_t storage = 0; storage < isGone.size(); ++storage)
        if (isKept[storage])
            isGone[storage] = false;
    std::map<OpIndex, std::set<OpId>> rows;
    for (const Value& value : m_values) {
        if (!isGone[value.storage.index()])
            continue; // kept, or made again on the way to another one
        const auto ops = m_closure.before(value.firstUse, {value.storage}, isGone);
        if (!ops)
            return {{}, value.storage};
        rows[value.firstUse].insert(ops->begin(), ops->end());
        for (const OpId op : *ops)
            for (const StorageId touched : m_closure.touchedBy(op))
                if (m_program.storage(touched).alloc == static_cast<OpIndex>(op.index()))
                    isGone[touched.index()] = false;
    }
    Attempt made;
    for (const auto& [before, ops] : rows)
        made.rows.push_back({before, {ops.begin(), ops.end()}});
    return made;
}

std::vector<plan::RecomputeStep> Boundary::rows(std::vector<bool> isKept) const
{
    for (std::size_t storage = 0; storage < isKept.size(); ++storage)
        if (m_pinned[storage])
            isKept[storage] = m_pinned[storage] == plan::PinKind::Keep;
    for (;;) { // one more is kept in each round
        Attempt made = attempt(isKept);
        if (!made.failed)
            return std::move(made.rows);
        isKept[made.failed->index()] = true;
    }
}

} // namespace plimsoll::solve
