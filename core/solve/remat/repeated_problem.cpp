// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/repeated_problem.h"

#include "core/solve/remat/capuchin/capuchin_step.h"
#include "core/solve/remat/program_problem.h"

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

RepeatedProblem::RepeatedProblem(const RematProblem& problem, std::vector<RematRecomputeStep> rows)
{
    m_problem.values = problem.values;
    for (std::uint32_t value = 0; value < problem.values.size(); ++value)
        m_valueOf.push_back(value);
    auto row = rows.begin();
    for (std::uint32_t op = 0; op < problem.ops.size(); ++op) {
        for (; row != rows.end() && row->before == op; ++row)
            for (const std::uint32_t again : row->ops)
                addOp(problem, again, op, true);
        addOp(problem, op, op, false);
    }
}

void RepeatedProblem::addOp(const RematProblem& from, std::uint32_t op, std::uint32_t stands,
                            bool isRecomputed)
{
    RematOp made = from.ops[op];
    for (std::uint32_t& value : made.makes) {
        if (isRecomputed) { // the one so far ends with its last use
            const std::uint32_t before = m_valueOf[value];
            m_valueOf[value] = static_cast<std::uint32_t>(m_problem.values.size());
            m_problem.values.push_back(m_problem.values[before]);
            m_problem.values[before].isKept = false;
        }
        value = m_valueOf[value];
    }
    for (std::vector<std::uint32_t>* used : {&made.reads, &made.overwrites})
        for (std::uint32_t& value : *used)
            value = m_valueOf[value];
    m_problem.ops.push_back(std::move(made));
    if (!from.floor.empty())
        m_problem.floor.push_back(from.floor[stands]);
    m_opOf.push_back(op);
    m_standsAt.push_back(stands);
}

RematPlan RepeatedProblem::original(const RematPlan& plan) const
{
    RematPlan made;
    const auto add = [&made](std::uint32_t before, std::uint32_t op) {
        if (made.recomputeSteps.empty() || made.recomputeSteps.back().before != before)
            made.recomputeSteps.push_back({before, {}});
        made.recomputeSteps.back().ops.push_back(op);
    };
    auto row = plan.recomputeSteps.begin();
    for (std::uint32_t op = 0; op < m_opOf.size(); ++op) {
        for (; row != plan.recomputeSteps.end() && row->before == op; ++row)
            for (const std::uint32_t again : row->ops)
                add(m_standsAt[op], m_opOf[again]);
        if (m_opOf[op] != m_standsAt[op])
            add(m_standsAt[op], m_opOf[op]);
    }
    for (RematRecomputeStep& again : made.recomputeSteps) {
        std::ranges::sort(again.ops);
        again.ops.erase(std::unique(again.ops.begin(), again.ops.end()), again.ops.end());
    }
    return made;
}

RematPlan RepeatedProblem::repeated(const RematPlan& plan) const
{
    RematPlan made;
    std::vector<std::uint32_t> newest(m_opOf.size()); // by original's op: execution so far
    auto row = plan.recomputeSteps.begin();
    for (std::uint32_t index = 0; index < m_opOf.size(); ++index) {
        const std::uint32_t op = m_opOf[index];
        newest[op] = index;
        if (op != m_standsAt[index] || row == plan.recomputeSteps.end() || row->before != op)
            continue;
        RematRecomputeStep again{index, {}};
        for (const std::uint32_t other : row->ops)
            if (m_standsAt[newest[other]] != op)
                again.ops.push_back(newest[other]);
        std::ranges::sort(again.ops);
        if (!again.ops.empty())
            made.recomputeSteps.push_back(std::move(again));
        ++row;
    }
    return made;
}

std::optional<std::vector<RematRecomputeStep>> rowsOfPins(const plan::Problem& problem)
{
    std::vector<std::uint32_t> pinned;
    std::vector<graph::OpIndex> kept; // ops that may not run again
    for (const plan::Pin& pin : problem.pins)
        for (const graph::StorageId storage : pin.storages)
            if (pin.kind == plan::PinKind::Recompute)
                pinned.push_back(static_cast<std::uint32_t>(storage.index()));
            else
                kept.push_back(problem.step()->storage(storage).alloc);
    std::ranges::sort(kept);
    std::ranges::sort(pinned);
    pinned.erase(std::unique(pinned.begin(), pinned.end()), pinned.end());
    if (pinned.empty())
        return std::vector<RematRecomputeStep>{};
    const CapuchinStep step{problem};
    for (const std::uint32_t value : pinned)
        if (!step.graph().values[value].isCandidate)
            return std::nullopt;
    std::optional<std::vector<plan::RecomputeStep>> rows = step.rows(pinned);
    const auto isKept = [&kept](graph::OpId op) {
        return std::ranges::binary_search(kept, static_cast<graph::OpIndex>(op.index()));
    };
    if (!rows || std::ranges::any_of(*rows, [&](const plan::RecomputeStep& row) {
            return std::ranges::any_of(row.ops, isKept);
        }))
        return std::nullopt;
    return rematPlanOf({{}, {}, plan::RecomputeSchedule{*std::move(rows)}}).recomputeSteps;
}

} // namespace plimsoll::solve
