// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/python_holds.h"

#include <algorithm>
#include <unordered_set>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::StorageId;

} // namespace

PythonHolds::PythonHolds(const graph::Program& program, const RegionTable& table)
    : m_program{program}
    , m_table{table}
    , m_recorded{table.code() != nullptr ? table.code()->holds() : recordedPythonHolds(program)}
    , m_forward{m_recorded}
{
    m_passed.reserve(table.size());
    for (std::size_t region = 0; region < table.size(); ++region)
        m_passed.push_back(passedIn(*table[region].region));
    for (std::size_t region = 0; region < table.size(); ++region) // parents first
        passOn(m_forward, region, true);
    for (std::size_t region = table.size(); region-- > 0;)
        callersWait(m_forward, region, graph::kBeforeStep);
}

OpIndex PythonHolds::inRecomputation(StorageId storage, std::size_t region)
{
    if (m_scope != static_cast<std::ptrdiff_t>(region)) {
        m_scope = static_cast<std::ptrdiff_t>(region);
        m_scoped = m_recorded;
        std::size_t end = region + 1; // its nested regions follow it
        while (end < m_table.size() && m_table[end].parent >= static_cast<std::int32_t>(region))
            ++end;
        for (std::size_t inner = region; inner < end; ++inner)
            passOn(m_scoped, inner, inner != region);
        for (std::size_t inner = end; inner-- > region + 1;) {
            callersWait(m_scoped, inner, m_table[region].first);
            holdArguments(m_scoped, inner);
        }
    }
    return m_scoped[storage.index()];
}

std::vector<PythonHolds::Passed> PythonHolds::passedIn(const Region& region) const
{
    const std::vector<graph::CallId>& members = region.members;
    if (members.size() < 2)
        return {};
    const std::vector<graph::TensorId>& results = m_program.call(members.back()).outputs;
    const auto isResult = [&](StorageId storage) {
        return std::ranges::any_of(results, [&](graph::TensorId result) {
            return m_program.tensor(result).storage == storage;
        });
    };
    std::vector<Passed> passed;
    std::unordered_set<std::size_t> earlier; // a region may have thousands of members
    for (std::size_t member = 0; member + 1 < members.size(); ++member) {
        const OpIndex until = m_program.call(members[member + 1]).last;
        for (const graph::TensorId output : m_program.call(members[member]).outputs) {
            const StorageId storage = m_program.tensor(output).storage;
            const bool isSeen = !earlier.insert(storage.index()).second;
            passed.push_back({storage, until, isSeen || isResult(storage)});
        }
    }
    return passed;
}

/// The region's own variable holds a passed value in place of the callers', whose variables hold
/// the result instead.
void PythonHolds::passOn(std::vector<OpIndex>& holds, std::size_t region,
                         bool callersHoldResults) const
{
    OpIndex callers = graph::kBeforeStep;
    for (const Passed& passed : m_passed[region])
        callers = std::max(callers, holds[passed.storage.index()]); // as changed by those around
    for (const Passed& passed : m_passed[region]) {
        OpIndex& hold = holds[passed.storage.index()];
        hold = passed.isKept ? std::max(hold, passed.until) : passed.until;
    }
    const std::vector<graph::CallId>& members = m_table[region].region->members;
    if (!callersHoldResults || members.size() < 2)
        return;
    for (const graph::TensorId result : m_program.call(members.back()).outputs) {
        OpIndex& hold = holds[m_program.tensor(result).storage.index()];
        hold = std::max(hold, callers);
    }
}

/// What lives when a region begins can't be let go by its callers before it returns. Looks at what
/// was allocated from `since` on.
void PythonHolds::callersWait(std::vector<OpIndex>& holds, std::size_t region, OpIndex since) const
{
    if (m_table.code() != nullptr)
        return; // generated code names what it lends a function, so that is an argument
    const RegionInfo& info = m_table[region];
    for (const StorageId storage : m_table.allocatedIn(since, info.first)) {
        OpIndex& hold = holds[storage.index()];
        if (hold >= info.first && hold < info.last)
            hold = info.last;
    }
}

void PythonHolds::holdArguments(std::vector<OpIndex>& holds, std::size_t region) const
{
    const RegionInfo& info = m_table[region];
    for (const StorageId argument : info.arguments) {
        OpIndex& hold = holds[argument.index()];
        hold = std::max(hold, info.last);
    }
}

} // namespace plimsoll::plan
