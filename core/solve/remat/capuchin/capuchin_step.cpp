// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/capuchin/capuchin_step.h"

#include "core/device/op_times.h"
#include "core/evaluate/evaluate.h"
#include "core/solve/remat/capuchin/access_profile.h"

#include <algorithm>
#include <set>
#include <utility>

namespace plimsoll::solve {

using graph::OpIndex;
using graph::StorageId;

CapuchinStep::CapuchinStep(const plan::Problem& problem)
    : m_program{*problem.step()}
    , m_closure{m_program}
    , m_lastForward(m_program.storages.size(), graph::kBeforeStep)
    , m_makesKept(m_program.ops.size(), false)
    , m_isLost(m_program.storages.size(), false)
{
    for (const plan::Pin& pin : problem.pins)
        for (const StorageId storage : pin.storages)
            if (pin.kind == plan::PinKind::Keep)
                m_makesKept[static_cast<std::size_t>(m_program.storage(storage).alloc)] = true;
    for (const base::Nanoseconds time : plan::opTimes(m_program, problem.device))
        m_graph.times.push_back(static_cast<double>(time.count()));
    m_graph.values.resize(m_program.storages.size());
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        m_graph.values[index].bytes =
            graph::rounded(m_program.storages[index].bytes, problem.rounding).count();
        addValue(index);
    }
    for (std::size_t index = 0; index < m_graph.values.size(); ++index)
        if (CapuchinValue& value = m_graph.values[index]; value.isCandidate)
            value.isCandidate =
                m_closure.before(value.firstBackward, {StorageId{index}}, m_isLost).has_value();
}

/// Values made in forward are traced; those that backward uses are candidates unless it turns out
/// that they can't be recomputed.
void CapuchinStep::addValue(std::size_t index)
{
    const StorageId storage{index};
    CapuchinValue& value = m_graph.values[index];
    if (!m_closure.isManaged(storage)
        || m_program.op(graph::opAt(m_program.storage(storage).alloc)).phase > graph::Phase::Loss)
        return;
    if (const std::optional<Accesses> accesses = accessesOf(m_program, m_closure, storage)) {
        value.isCandidate = true;
        value.firstBackward = accesses->firstBackward;
        m_lastForward[index] = accesses->lastForward;
    }
    m_isLost[index] = !value.isCandidate;
    std::set<std::uint32_t> reads;
    for (const OpIndex writer : m_closure.writersOf(storage)) {
        if (value.isCandidate && writer >= value.firstBackward)
            break;
        value.ops.push_back(static_cast<std::uint32_t>(writer));
        for (const StorageId touched : m_closure.touchedBy(graph::opAt(writer)))
            if (touched != storage && m_program.storage(touched).alloc < writer)
                reads.insert(static_cast<std::uint32_t>(touched.index()));
    }
    value.reads.assign(reads.begin(), reads.end());
}

std::vector<bool> CapuchinStep::idleAt(OpIndex op) const
{
    std::vector<bool> isIdle(m_graph.values.size(), false);
    for (std::size_t index = 0; index < isIdle.size(); ++index)
        isIdle[index] = m_graph.values[index].isCandidate && m_lastForward[index] < op
                        && m_graph.values[index].firstBackward > op;
    return isIdle;
}

std::optional<std::vector<plan::RecomputeStep>>
CapuchinStep::rows(const std::vector<std::uint32_t>& chosen) const
{
    std::optional<std::vector<plan::RecomputeStep>> rows =
        reduced(m_graph, chosen, m_isLost,
                [this](OpIndex before, const std::vector<std::uint32_t>& wanted,
                       const std::vector<bool>& isGone) {
                    return m_closure.before(before, {wanted.begin(), wanted.end()}, isGone);
                });
    const auto repeatsKept = [this](const plan::RecomputeStep& row) {
        return std::ranges::any_of(row.ops,
                                   [this](graph::OpId op) { return m_makesKept[op.index()]; });
    };
    if (rows && std::ranges::any_of(*rows, repeatsKept))
        rows.reset();
    return rows;
}

} // namespace plimsoll::solve
