// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/torch_budget_rows.h"

#include "core/solve/baseline/joint_graph.h"

#include <algorithm>
#include <map>
#include <memory>
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
            m_mayGo[index] = true; // backward reads it only to recompute others
            continue;
        }
        if (uses.back() >= end || storage.bytes.count() == 0
            || storage.storageClass == graph::StorageClass::Output
            || !m_closure.before(*first, {id}, nothing))
            continue;
        m_mayGo[index] = true;
        m_values.push_back({id, *first});
    }
    // The op that makes the loss is never recomputed, so its other results stay.
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
            continue; // kept, or recomputed on the way to another one
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
    for (;;) { // each round keeps one more
        Attempt made = attempt(isKept);
        if (!made.failed)
            return std::move(made.rows);
        isKept[made.failed->index()] = true;
    }
}

namespace {

std::int64_t partOf(std::int64_t range, std::int64_t permille)
{
    // Split at whole thousands to avoid overflow.
    return range / kWhole * permille + range % kWhole * permille / kWhole;
}

} // namespace

TorchPartition::Knapsack budgetKnapsack(bool isGreedy)
{
    if (isGreedy)
        return [](const std::vector<KnapsackItem>& items,
                  std::int64_t range) -> TorchPartition::Chooser {
            return [items, range](std::int64_t permille) {
                return greedilyChosen(items, partOf(range, permille));
            };
        };
    return
        [](const std::vector<KnapsackItem>& items, std::int64_t range) -> TorchPartition::Chooser {
            const auto exact = std::make_shared<const ExactKnapsack>(items);
            return [exact, range](std::int64_t permille) {
                return exact->chosen(partOf(range, permille));
            };
        };
}

TorchBudgetRows::TorchBudgetRows(const plan::Problem& problem, bool isGreedy)
    : m_program{*problem.step()}
    , m_graph{jointGraph(m_program)}
    , m_partition{m_graph, budgetKnapsack(isGreedy)}
    , m_boundary{problem}
{
}

/// The compiler also keeps values that exist only inside eager ops (half a norm, a mask of signs).
/// Eager ops don't return those, so the op's inputs are kept instead.
std::vector<bool> TorchBudgetRows::storagesOf(const TorchPartition::Nodes& nodes) const
{
    std::vector<bool> isKept(m_program.storages.size(), false);
    std::vector<bool> seen(m_graph.nodes.size(), false);
    TorchPartition::Nodes open = nodes;
    while (!open.empty()) {
        const std::size_t index = open.back();
        open.pop_back();
        if (seen[index])
            continue;
        seen[index] = true;
        const JointNode& node = m_graph.nodes[index];
        if (node.tensor)
            isKept[m_program.tensor(*node.tensor).storage.index()] = true;
        else
            open.insert(open.end(), node.inputs.begin(), node.inputs.end());
    }
    return isKept;
}

std::optional<std::vector<plan::RecomputeStep>> TorchBudgetRows::at(std::int64_t permille,
                                                                    const base::JobContext& job)
{
    const auto kept = m_partition.kept(permille, job);
    return kept ? std::optional{m_boundary.rows(storagesOf(*kept))} : std::nullopt;
}

std::vector<plan::RecomputeStep> TorchBudgetRows::keepingAll() const
{
    return m_boundary.rows(std::vector<bool>(m_program.storages.size(), true));
}

} // namespace plimsoll::solve
