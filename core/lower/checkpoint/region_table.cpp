// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/region_table.h"

#include "core/graph/batch_statistics.h"

#include <algorithm>
#include <tuple>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::StorageId;

/// Groups `count` items by a key in [0, keys): `start` holds where each group begins in the
/// returned order.
template <typename KeyOf>
std::vector<std::uint32_t> groupBy(std::size_t count, std::size_t keys, KeyOf keyOf,
                                   std::vector<std::uint32_t>& start)
{
    start.assign(keys + 1, 0);
    for (std::size_t item = 0; item < count; ++item)
        if (const std::ptrdiff_t key = keyOf(item); key >= 0)
            ++start[static_cast<std::size_t>(key) + 1];
    for (std::size_t key = 0; key < keys; ++key)
        start[key + 1] += start[key];
    std::vector<std::uint32_t> order(start[keys]);
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::size_t item = 0; item < count; ++item)
        if (const std::ptrdiff_t key = keyOf(item); key >= 0)
            order[next[static_cast<std::size_t>(key)]++] = static_cast<std::uint32_t>(item);
    return order;
}

} // namespace

std::vector<StorageId> argumentsOf(const graph::Program& program, const Region& region,
                                   const ModelCode* code)
{
    if (code != nullptr)
        return code->arguments(region.first, region.last);
    std::vector<StorageId> storages;
    for (const graph::TensorId input : program.call(region.members.front()).inputs)
        storages.push_back(program.tensor(input).storage);
    std::ranges::sort(storages);
    storages.erase(std::unique(storages.begin(), storages.end()), storages.end());
    return storages;
}

RegionTable::RegionTable(const graph::Program& program, const CheckpointRegions& plan)
    : m_program{program}
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
    indexProgram();
    indexArguments();
    markInnermost();
    m_isFrozen.assign(program.ops.size(), false);
    if (plan.freezeStats)
        markFrozen();
    collectRows();
    collectNestedPacks();
}

void RegionTable::indexProgram()
{
    m_rows = groupBy(
        m_program.saved.size(), m_program.storages.size(),
        [this](std::size_t row) {
            return static_cast<std::ptrdiff_t>(
                m_program.tensor(m_program.saved[row].tensor).storage.index());
        },
        m_rowStart);
    const std::vector<std::uint32_t> order = groupBy(
        m_program.storages.size(), m_program.ops.size() + 1,
        [this](std::size_t storage) {
            return static_cast<std::ptrdiff_t>(m_program.storages[storage].alloc) + 1;
        },
        m_allocStart);
    for (const std::uint32_t storage : order)
        m_allocated.emplace_back(storage);
}

void RegionTable::indexArguments()
{
    m_takers.resize(m_program.storages.size());
    for (std::size_t index = 0; index < m_regions.size(); ++index) {
        RegionInfo& info = m_regions[index];
        info.arguments = argumentsOf(m_program, *info.region, code());
        for (const StorageId argument : info.arguments)
            m_takers[argument.index()].push_back(static_cast<std::int32_t>(index));
    }
}

void RegionTable::markInnermost()
{
    m_innermost.assign(m_program.ops.size(), -1);
    for (std::size_t region = 0; region < m_regions.size(); ++region) // parents come first
        for (OpIndex op = m_regions[region].first; op <= m_regions[region].last; ++op)
            m_innermost[static_cast<std::size_t>(op)] = static_cast<std::int32_t>(region);
    m_isKept.assign(m_program.ops.size(), false);
    for (const RegionInfo& info : m_regions)
        for (const graph::OpId op : info.region->save)
            m_isKept[op.index()] = true;
}

void RegionTable::markFrozen()
{
    const std::size_t forward = m_program.forwardCount();
    for (std::size_t op = 0; op < forward; ++op)
        if (graph::countsBatches(m_program, m_program.ops[op])) {
            m_isFrozen[op] = true;
            m_frozen.push_back(static_cast<OpIndex>(op));
        }
}

std::int32_t RegionTable::executedUpTo(OpIndex opIndex, std::size_t region) const
{
    const RegionInfo& info = m_regions[region];
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
        RegionInfo& direct = m_regions[static_cast<std::size_t>(region)];
        pack(direct, static_cast<OpIndex>(saved.op.index()), saved.afterKernel);
        if (saved.unpack)
            direct.trigger = std::min(direct.trigger, *saved.unpack);
        for (; region >= 0; region = m_regions[static_cast<std::size_t>(region)].parent) {
            RegionInfo& around = m_regions[static_cast<std::size_t>(region)];
            around.release = std::max(around.release, saved.released);
            around.hasRows = true;
        }
    }
}

void RegionTable::collectNestedPacks()
{
    for (std::size_t region = m_regions.size();
         region-- > 0;) { // children come after their parents
        RegionInfo& info = m_regions[region];
        if (info.stopOp >= 0)
            info.lastExecuted = info.stopAfter ? info.stopOp : info.stopOp - 1;
        else
            info.lastExecuted = info.last;
        if (info.parent < 0)
            continue;
        RegionInfo& parent = m_regions[static_cast<std::size_t>(info.parent)];
        parent.trigger = std::min(parent.trigger, info.trigger);
        if (!info.arguments.empty())
            pack(parent, info.first, false);
    }
}

std::span<const std::uint32_t> RegionTable::rowsOf(StorageId storage) const
{
    const std::size_t begin = m_rowStart[storage.index()];
    return std::span{m_rows}.subspan(begin, m_rowStart[storage.index() + 1] - begin);
}

std::span<const StorageId> RegionTable::allocatedBy(graph::OpId op) const
{
    const auto opIndex = static_cast<OpIndex>(op.index());
    return allocatedIn(opIndex, opIndex + 1);
}

std::span<const StorageId> RegionTable::allocatedIn(OpIndex begin, OpIndex end) const
{
    const auto startOf = [this](OpIndex opIndex) {
        const OpIndex place = opIndex + 1;
        return m_allocStart[static_cast<std::size_t>(place)];
    };
    return std::span{m_allocated}.subspan(startOf(begin), startOf(end) - startOf(begin));
}

bool RegionTable::isPacked(std::uint32_t row, std::size_t region) const
{
    const graph::Saved& saved = m_program.saved[row];
    const RegionInfo& info = m_regions[region];
    return std::tuple{static_cast<OpIndex>(saved.op.index()), saved.afterKernel}
           <= std::tuple{info.stopOp, info.stopAfter};
}

bool RegionTable::isWithin(std::size_t inner, std::size_t outer) const
{
    return m_regions[outer].first <= m_regions[inner].first
           && m_regions[inner].last <= m_regions[outer].last;
}

bool RegionTable::outranks(std::size_t a, std::size_t b) const
{
    if (isWithin(a, b) != isWithin(b, a))
        return isWithin(b, a);
    return m_regions[a].first > m_regions[b].first;
}

} // namespace plimsoll::plan
