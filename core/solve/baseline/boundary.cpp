// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/boundary.h"

#include "core/plan/evaluate.h"

#include <algorithm>
#include <map>
#include <set>

namespace plimsoll::solve {

using graph::Moment;
using graph::OpId;
using graph::StorageId;

Boundary::Boundary(const plan::Problem& problem)
    : m_program{*problem.program}
    , m_forward{static_cast<Moment>(problem.program->forwardCount())}
    , m_repeats{*problem.program}
    , m_isTemporary(problem.program->storages.size(), false)
{
    const auto end = static_cast<Moment>(m_program.countBeforeOptimizer());
    const std::vector<bool> nothing(m_program.storages.size(), false);
    const std::vector<base::Nanoseconds> times = plan::opTimes(m_program, problem.device);
    std::map<StorageId, KnapsackItem> items;
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        const StorageId id{index};
        const graph::Storage& storage = m_program.storages[index];
        if (storage.alloc < 0 || storage.alloc >= m_forward)
            continue;
        const std::vector<Moment>& uses = m_repeats.usesOf(id);
        const auto first = std::ranges::lower_bound(uses, m_forward);
        m_isTemporary[index] = first == uses.end();
        if (first == uses.end() || uses.back() >= end || storage.bytes.count() == 0
            || storage.storageClass == graph::StorageClass::Output)
            continue;
        const auto ops = m_repeats.before(*first, {id}, nothing);
        if (!ops)
            continue;
        items[id].weight = storage.bytes.count();
        for (const OpId op : *ops)
            items[id].value += times[op.index()].count();
        m_values.push_back({id, *first});
    }
    std::ranges::stable_sort(m_values, {}, &Value::firstUse);
    for (const Value& value : m_values) {
        m_items.push_back(items[value.storage]);
        std::optional<plan::PinKind>& pinned = m_pinned.emplace_back();
        for (const plan::Pin& pin : problem.pins)
            if (std::ranges::binary_search(pin.storages, value.storage))
                pinned = pin.kind;
    }
}

Boundary::Attempt Boundary::attempt(const std::vector<bool>& kept) const
{
    std::vector<bool> isGone = m_isTemporary;
    for (std::size_t item = 0; item < m_values.size(); ++item)
        isGone[m_values[item].storage.index()] = !kept[item];
    std::map<Moment, std::set<OpId>> rows;
    for (std::size_t item = 0; item < m_values.size(); ++item) {
        const Value& value = m_values[item];
        if (!isGone[value.storage.index()])
            continue; // kept, or made again on the way to another one
        const auto ops = m_repeats.before(value.firstUse, {value.storage}, isGone);
        if (!ops)
            return {{}, item};
        rows[value.firstUse].insert(ops->begin(), ops->end());
        for (const OpId op : *ops)
            for (const StorageId touched : m_repeats.touchedBy(op))
                if (m_program.storage(touched).alloc == static_cast<Moment>(op.index()))
                    isGone[touched.index()] = false;
    }
    Attempt made;
    for (const auto& [before, ops] : rows)
        made.rows.push_back({before, {ops.begin(), ops.end()}});
    return made;
}

std::vector<plan::Again> Boundary::rows(std::vector<bool> kept) const
{
    for (std::size_t item = 0; item < kept.size(); ++item)
        if (m_pinned[item])
            kept[item] = m_pinned[item] == plan::PinKind::Keep;
    for (;;) { // one more is kept in each round
        Attempt made = attempt(kept);
        if (!made.failed)
            return std::move(made.rows);
        kept[*made.failed] = true;
    }
}

} // namespace plimsoll::solve
