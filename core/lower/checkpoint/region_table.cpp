// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/region_table.h"

#include "core/graph/batch_statistics.h"

#include <algorithm>
#include <tuple>

namespace plimsoll::plan {

using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

RegionTable::RegionTable(const graph::Program& program, const CheckpointRegions& plan)
    : m_program{program}
    , m_rows{program.saved.size(), program.storages.size(),
             [&](std::size_t row) {
                 return program.tensor(program.saved[row].tensor).storage.index();
             }}
    , m_allocated{program.storages.size(), program.ops.size() + 1, [&](std::size_t storage) {
                      return static_cast<std::size_t>(program.storages[storage].alloc + 1);
                  }}
{
    for (const FlatRegion& flat : flatten(plan.regions)) {
        RegionInfo info;
        info.region = flat.region;
        info.parent = flat.parent;
        info.first = flat.region->first;
        info.last = flat.region->last;
        m_regions.push_back(info);
    }
    if (plan.granularity == Granularity::Op)
        m_code.emplace(program);
    indexArguments();
    markInnermost();
    if (plan.freezeStats)
        for (std::size_t op = 0, end = program.forwardCount(); op < end; ++op)
            if (graph::countsBatches(program, program.ops[op]))
                m_frozen.push_back(static_cast<OpIndex>(op));
    collectRows();
    collectNestedPacks();
}

std::vector<TensorId> RegionTable::given(const Region& region) const
{
    return m_code ? m_code->parameters(region.first, region.last)
                  : m_program.call(region.members.front()).inputs;
}

void RegionTable::indexArguments()
{
    m_takers.resize(m_program.storages.size());
    for (std::int32_t region = 0; region < size(); ++region) {
        RegionInfo& info = at(region);
        for (const TensorId tensor : given(*info.region))
            info.arguments.push_back(m_program.tensor(tensor).storage);
        std::ranges::sort(info.arguments);
        info.arguments.erase(std::unique(info.arguments.begin(), info.arguments.end()),
                             info.arguments.end());
        for (const StorageId argument : info.arguments)
            m_takers[argument.index()].push_back(region);
    }
}

void RegionTable::markInnermost()
{
    m_innermost.assign(m_program.ops.size(), -1);
    for (std::int32_t region = 0; region < size(); ++region) // parents come first
        std::fill(m_innermost.begin() + at(region).first, m_innermost.begin() + at(region).last + 1,
                  region);
    m_isKept.assign(m_program.ops.size(), false);
    for (const RegionInfo& info : m_regions)
        for (const graph::OpId op : info.region->save)
            m_isKept[op.index()] = true;
}

std::int32_t RegionTable::executedUpTo(OpIndex opIndex, std::int32_t region) const
{
    const RegionInfo& info = (*this)[region];
    const std::vector<graph::OpId>& kept = info.region->save; // rising
    const auto behind = std::ranges::find_if(
        kept, [opIndex](graph::OpId op) { return static_cast<OpIndex>(op.index()) > opIndex; });
    const auto frozen = std::ranges::upper_bound(m_frozen, opIndex)
                        - std::ranges::lower_bound(m_frozen, info.first);
    return opIndex - info.first + 1 - static_cast<std::int32_t>(behind - kept.begin() + frozen);
}

void RegionTable::pack(RegionInfo& info, OpIndex op, bool after)
{
    if (std::tuple{op, after} > std::tuple{info.stopOp, info.stopAfter} || info.stopOp < 0) {
        info.stopOp = op;
        info.stopAfter = after;
    }
}

void RegionTable::collectRows()
{
    for (const graph::Saved& saved : m_program.saved) {
        std::int32_t region = m_innermost[saved.op.index()];
        if (region < 0)
            continue;
        RegionInfo& direct = at(region);
        pack(direct, static_cast<OpIndex>(saved.op.index()), saved.afterKernel);
        if (saved.unpack)
            direct.trigger = std::min(direct.trigger, *saved.unpack);
        for (; region >= 0; region = at(region).parent) {
            RegionInfo& around = at(region);
            around.release = std::max(around.release, saved.released);
            around.hasRows = true;
        }
    }
}

void RegionTable::collectNestedPacks()
{
    for (std::int32_t region = size(); region-- > 0;) { // children come after their parents
        RegionInfo& info = at(region);
        if (info.stopOp >= 0)
            info.lastExecuted = info.stopAfter ? info.stopOp : info.stopOp - 1;
        else
            info.lastExecuted = info.last;
        if (info.parent < 0)
            continue;
        RegionInfo& parent = at(info.parent);
        parent.trigger = std::min(parent.trigger, info.trigger);
        if (!info.arguments.empty())
            pack(parent, info.first, false);
    }
}

bool RegionTable::isPacked(std::uint32_t row, std::int32_t region) const
{
    const graph::Saved& saved = m_program.saved[row];
    const RegionInfo& info = (*this)[region];
    return std::tuple{static_cast<OpIndex>(saved.op.index()), saved.afterKernel}
           <= std::tuple{info.stopOp, info.stopAfter};
}

bool RegionTable::isWithin(std::int32_t inner, std::int32_t outer) const
{
    return (*this)[outer].first <= (*this)[inner].first
           && (*this)[inner].last <= (*this)[outer].last;
}

bool RegionTable::outranks(std::int32_t a, std::int32_t b) const
{
    if (isWithin(a, b) != isWithin(b, a))
        return isWithin(b, a);
    return (*this)[a].first > (*this)[b].first;
}

} // namespace plimsoll::plan
