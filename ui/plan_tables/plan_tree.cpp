// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::ui {

PlanTree::PlanTree(plan::VerifiedPlanPtr plan, std::shared_ptr<const DecisionNames> names,
                   PlanGroupNumbers& numbers, const std::optional<StepRange>& range)
    : m_plan{std::move(plan)}, m_names{std::move(names)}, m_rows{planRows(*m_plan)}
{
    chooseShown(range);
    group(numbers);
    for (const PlanSpot& spot : m_top)
        m_mostSaved = std::max(m_mostSaved, figuresOf(spot).saved);
}

void PlanTree::chooseShown(const std::optional<StepRange>& range)
{
    m_isShown.assign(m_rows.size(), true);
    if (!range)
        return;
    const std::vector<bool> runs =
        m_plan->evaluation().schedule->opsIn(range->begin, range->end + 1);
    const auto at = [&](graph::OpIndex op) {
        return runs.begin() + static_cast<std::ptrdiff_t>(op);
    };
    const bool areRegions = !m_plan->plan().isCompiledStep();
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const auto& [first, last] = m_rows[row].stretch;
        m_isShown[row] =
            areRegions ? std::find(at(first), at(last) + 1, true) != at(last) + 1
                       : *at(first) || (static_cast<std::size_t>(last) < runs.size() && *at(last));
    }
}

void PlanTree::group(PlanGroupNumbers& numbers)
{
    std::map<PlanGroupKey, std::vector<int>> byKey;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_isShown[i])
            byKey[m_names->groupKey(m_rows[i])].push_back(static_cast<int>(i));
    m_places.resize(m_rows.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto decision = static_cast<int>(i);
        if (!m_isShown[i])
            continue;
        const PlanGroupKey key = m_names->groupKey(m_rows[i]);
        const std::vector<int>& alike = byKey[key];
        if (!key.isInBlock() || alike.size() < 2) {
            m_top.push_back({PlanSpot::Kind::Decision, decision});
            continue;
        }
        if (alike.front() != decision)
            continue;
        const auto next = static_cast<int>(numbers.size());
        PlanGroup made{
            .key = numbers.try_emplace(key, next).first->second, .rows = alike, .first = decision};
        for (const int member : alike) {
            made.figures += m_rows[static_cast<std::size_t>(member)].figures;
            m_places[static_cast<std::size_t>(member)].group = static_cast<int>(m_groups.size());
        }
        m_top.push_back({PlanSpot::Kind::Group, static_cast<int>(m_groups.size())});
        m_groups.push_back(std::move(made));
    }
}

void PlanTree::sort(PlanColumn column, Qt::SortOrder order)
{
    const auto inOrder = [&](const PlanSpot& a, const PlanSpot& b) {
        return order == Qt::AscendingOrder ? precedes(column, a, b) : precedes(column, b, a);
    };
    const auto first = [this](const PlanSpot& spot) { return decisionOf(spot); };
    std::ranges::sort(m_top, {}, first); // what is equal stays in the plan's order
    std::ranges::stable_sort(m_top, inOrder);
    for (std::size_t row = 0; row < m_top.size(); ++row) {
        const PlanSpot& spot = m_top[row];
        const auto number = static_cast<std::size_t>(spot.number);
        (spot.kind == PlanSpot::Kind::Group ? m_groups[number].row : m_places[number].row) =
            static_cast<int>(row);
    }
    for (PlanGroup& group : m_groups) {
        std::ranges::sort(group.rows);
        std::ranges::stable_sort(group.rows, inOrder, [](int decision) {
            return PlanSpot{PlanSpot::Kind::Decision, decision};
        });
        for (std::size_t row = 0; row < group.rows.size(); ++row)
            m_places[static_cast<std::size_t>(group.rows[row])].row = static_cast<int>(row);
    }
}

bool PlanTree::precedes(PlanColumn column, const PlanSpot& a, const PlanSpot& b) const
{
    switch (column) {
    case PlanColumn::ModuleColumn: return rowAt(a).stretch < rowAt(b).stretch; // as forward runs
    case PlanColumn::SavedColumn: return figuresOf(a).saved < figuresOf(b).saved;
    case PlanColumn::CostColumn: return figuresOf(a).cost < figuresOf(b).cost;
    case PlanColumn::DecisionColumn: return !rowAt(a).isRepeated && rowAt(b).isRepeated;
    case PlanColumn::TensorColumn: return figuresOf(a).tensors < figuresOf(b).tensors;
    case PlanColumn::SourceColumn: return sourceOf(a).compare(sourceOf(b)) < 0;
    case PlanColumn::RateColumn: return rateOf(a) < rateOf(b);
    case PlanColumn::OpColumn: return rowAt(a).stretch < rowAt(b).stretch;
    case PlanColumn::LastUseColumn: // of values only
    case PlanColumn::PinColumn: break;
    }
    return false;
}

/// Infinite where nothing is saved.
double PlanTree::rateOf(const PlanSpot& spot) const
{
    const PlanFigures& figures = figuresOf(spot);
    return figures.saved.count() > 0 ? static_cast<double>(figures.cost.count())
                                           / static_cast<double>(figures.saved.count())
                                     : std::numeric_limits<double>::infinity();
}

QString PlanTree::sourceOf(const PlanSpot& spot) const
{
    const std::int32_t source = rowAt(spot).source;
    return source < 0 ? QString{}
                      : QString::fromStdString(program().sources[static_cast<std::size_t>(source)]);
}

const std::vector<PlanValue>& PlanTree::valuesOf(int decision) const
{
    const auto known = m_values.find(decision);
    if (known != m_values.end())
        return known->second;
    return m_values
        .emplace(decision, planValues(*m_plan, m_rows, static_cast<std::size_t>(decision)))
        .first->second;
}

int PlanTree::decisionOf(const PlanSpot& spot) const
{
    return spot.kind == PlanSpot::Kind::Group ? groupAt(spot).first : spot.number;
}

const PlanFigures& PlanTree::figuresOf(const PlanSpot& spot) const
{
    return spot.kind == PlanSpot::Kind::Group ? groupAt(spot).figures : rowAt(spot).figures;
}

std::vector<const PlanRow*> PlanTree::rowsOf(const PlanSpot& spot) const
{
    if (spot.kind != PlanSpot::Kind::Group)
        return {&rowAt(spot)};
    std::vector<const PlanRow*> rows;
    for (const int decision : groupAt(spot).rows)
        rows.push_back(&m_rows[static_cast<std::size_t>(decision)]);
    return rows;
}

bool PlanTree::hasShapeOf(const PlanTree& other) const
{
    const auto isAlike = [](const PlanGroup& a, const PlanGroup& b) {
        return a.key == b.key && a.rows == b.rows;
    };
    return m_top == other.m_top && m_places == other.m_places
           && std::ranges::equal(m_groups, other.m_groups, isAlike)
           && std::ranges::equal(m_rows, other.m_rows, {}, &PlanRow::stretch, &PlanRow::stretch);
}

} // namespace plimsoll::ui
