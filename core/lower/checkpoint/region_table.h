// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lower/checkpoint/model_code.h"
#include "core/plan/schedule.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll::plan {

/// What lower() needs to know about a region. OpIndex refers to ops of the program.
struct RegionInfo
{
    const Region* region = nullptr;
    std::int32_t parent = -1;
    graph::OpIndex first = 0;
    graph::OpIndex last = 0;
    graph::OpIndex trigger =
        graph::kNever; ///< backward op before which it is recomputed; kNever: never
    graph::OpIndex release = graph::kBeforeStep; ///< latest release of a row inside, at any depth
    bool hasRows = false;                        ///< has a row inside, at any depth
    std::vector<graph::StorageId> arguments;     ///< each once, ascending
    graph::OpIndex stopOp = -1;                  ///< op of the last pack
    bool stopAfter = false;                      ///< the last pack happens after that op's kernel
    graph::OpIndex lastExecuted = -1; ///< last op that its recomputation runs; first - 1: none
};

/// Indices of items by a key below `keys`; those with the same key are adjacent and in order.
template <typename Item>
class Groups
{
public:
    template <typename KeyOf>
    Groups(std::size_t count, std::size_t keys, KeyOf keyOf) : m_items(count), m_start(keys + 1, 0)
    {
        for (std::size_t item = 0; item < count; ++item)
            ++m_start[keyOf(item) + 1];
        std::partial_sum(m_start.begin(), m_start.end(), m_start.begin());
        std::vector<std::size_t> next = m_start;
        for (std::size_t item = 0; item < count; ++item)
            m_items[next[keyOf(item)]++] = static_cast<Item>(item);
    }
    /// Those of the keys from `begin` on and before `end`.
    [[nodiscard]] std::span<const Item> of(std::size_t begin, std::size_t end) const
    {
        return std::span{m_items}.subspan(m_start[begin], m_start[end] - m_start[begin]);
    }

private:
    std::vector<Item> m_items;
    std::vector<std::size_t> m_start; ///< by key
};

/// Regions of a plan matched with a program's tables: what holds, packs and allocates what.
class RegionTable
{
public:
    RegionTable(const graph::Program& program, const CheckpointRegions& plan);

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(m_regions.size()); }
    [[nodiscard]] const RegionInfo& operator[](std::int32_t region) const
    {
        return m_regions[static_cast<std::size_t>(region)];
    }
    /// The code that runs in place of the model's forward; null: the model itself.
    [[nodiscard]] const ModelCode* code() const { return m_code ? &*m_code : nullptr; }
    /// Innermost region around an op, -1: none.
    [[nodiscard]] std::int32_t innermost(graph::OpId op) const { return m_innermost[op.index()]; }
    /// Whether the op's results are kept for its innermost region.
    [[nodiscard]] bool isKept(graph::OpId op) const { return m_isKept[op.index()]; }
    /// Whether the region's recomputation skips the op: its results were kept, or the op counts
    /// batches and statistics stay frozen.
    [[nodiscard]] bool isLeftOut(graph::OpId op, std::int32_t region) const
    {
        return (isKept(op) && innermost(op) == region)
               || std::ranges::binary_search(m_frozen, static_cast<graph::OpIndex>(op.index()));
    }
    /// Number of ops that a region's recomputation runs up to and including an op index inside it.
    [[nodiscard]] std::int32_t executedUpTo(graph::OpIndex opIndex, std::int32_t region) const;
    /// Rows of `saved` on a storage, in order.
    [[nodiscard]] std::span<const std::uint32_t> rowsOf(graph::StorageId storage) const
    {
        return m_rows.of(storage.index(), storage.index() + 1);
    }
    /// The arguments of the region's function, one entry per use.
    [[nodiscard]] std::vector<graph::TensorId> given(const Region& region) const;
    /// Regions that have the storage among their arguments.
    [[nodiscard]] const std::vector<std::int32_t>& regionsTaking(graph::StorageId storage) const
    {
        return m_takers[storage.index()];
    }
    /// Storages allocated at op indices from `begin` (or kBeforeStep) on and before `end`, in this
    /// order.
    [[nodiscard]] std::span<const graph::StorageId> allocatedIn(graph::OpIndex begin,
                                                                graph::OpIndex end) const
    {
        return m_allocated.of(static_cast<std::size_t>(begin + 1),
                              static_cast<std::size_t>(end + 1));
    }
    /// Whether a row direct in the region is packed by its recomputation, the last pack included.
    [[nodiscard]] bool isPacked(std::uint32_t row, std::int32_t region) const;
    /// Whether a region is another or nested in it, at any depth.
    [[nodiscard]] bool isWithin(std::int32_t inner, std::int32_t outer) const;
    /// Order of two recomputations at the same op: parents first, independent ones by falling
    /// `first`.
    [[nodiscard]] bool outranks(std::int32_t a, std::int32_t b) const;

private:
    [[nodiscard]] RegionInfo& at(std::int32_t region)
    {
        return m_regions[static_cast<std::size_t>(region)];
    }
    void indexArguments();
    void markInnermost();
    void collectRows();
    void collectNestedPacks();
    static void pack(RegionInfo& info, graph::OpIndex op, bool after);

    const graph::Program& m_program;
    std::optional<ModelCode> m_code; ///< of plans between ops
    std::vector<RegionInfo> m_regions;
    std::vector<std::int32_t> m_innermost;
    std::vector<bool> m_isKept;           ///< by op
    std::vector<graph::OpIndex> m_frozen; ///< ops that no recomputation runs, rising
    Groups<std::uint32_t> m_rows;         ///< of `saved`, by storage
    std::vector<std::vector<std::int32_t>> m_takers;
    Groups<graph::StorageId> m_allocated; ///< by op index + 1
};

} // namespace plimsoll::plan
