// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lower/checkpoint/model_code.h"
#include "core/plan/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll::plan {

/// Storages that a region's function is given, each once, ascending. `code`: of plans between ops.
[[nodiscard]] std::vector<graph::StorageId>
argumentsOf(const graph::Program& program, const Region& region, const ModelCode* code);

/// What lower() needs to know about one region. Moments are ops of the program.
struct RegionInfo
{
    const Region* region = nullptr;
    std::int32_t parent = -1;
    graph::OpIndex first = 0;
    graph::OpIndex last = 0;
    graph::OpIndex trigger =
        graph::kNever; ///< backward op before which it is recomputed; kNever: not at all
    graph::OpIndex release = graph::kBeforeStep; ///< latest release of a row inside, at any depth
    bool hasRows = false;                        ///< has a row inside, at any depth
    std::vector<graph::StorageId> arguments;     ///< each once, ascending
    graph::OpIndex stopOp = -1;                  ///< op of the last pack
    bool stopAfter = false;                      ///< the last pack comes after that op's kernel
    graph::OpIndex lastExecuted = -1; ///< last op that its recomputation runs; first - 1: none
};

/// Regions of a plan against the tables of a program: who holds, packs and allocates what.
class RegionTable
{
public:
    RegionTable(const graph::Program& program, const CheckpointRegions& plan);

    [[nodiscard]] std::size_t size() const { return m_regions.size(); }
    [[nodiscard]] const RegionInfo& operator[](std::size_t region) const
    {
        return m_regions[region];
    }
    /// What runs in place of the model's forward; null: the model itself.
    [[nodiscard]] const ModelCode* code() const { return m_code ? &*m_code : nullptr; }
    /// Innermost region around an op, -1: none.
    [[nodiscard]] std::int32_t innermost(graph::OpId op) const { return m_innermost[op.index()]; }
    /// Whether the op's results are kept for its innermost region.
    [[nodiscard]] bool isKept(graph::OpId op) const { return m_isKept[op.index()]; }
    /// Whether the region's recomputation doesn't run the op: it finds the results kept, or the op
    /// counts batches and statistics stay frozen.
    [[nodiscard]] bool isLeftOut(graph::OpId op, std::size_t region) const
    {
        return m_isFrozen[op.index()]
               || (isKept(op) && innermost(op) == static_cast<std::int32_t>(region));
    }
    /// Ops that a region's recomputation runs up to a moment at which it still runs.
    [[nodiscard]] std::int32_t executedUpTo(graph::OpIndex opIndex, std::size_t region) const;
    /// Rows of `saved` on a storage, in order.
    [[nodiscard]] std::span<const std::uint32_t> rowsOf(graph::StorageId storage) const;
    /// Regions that have the storage among their arguments.
    [[nodiscard]] const std::vector<std::int32_t>& regionsTaking(graph::StorageId storage) const
    {
        return m_takers[storage.index()];
    }
    /// Storages that an op allocates.
    [[nodiscard]] std::span<const graph::StorageId> allocatedBy(graph::OpId op) const;
    /// Storages allocated at moments from `begin` on and before `end`, in this order; kBeforeStep
    /// is a moment.
    [[nodiscard]] std::span<const graph::StorageId> allocatedIn(graph::OpIndex begin,
                                                                graph::OpIndex end) const;
    /// Whether a row direct in the region is packed by its recomputation, the last pack included.
    [[nodiscard]] bool isPacked(std::uint32_t row, std::size_t region) const;
    /// Whether a region is another or nested in it, at any depth.
    [[nodiscard]] bool isWithin(std::size_t inner, std::size_t outer) const;
    /// Order of two recomputations at one place: parents first, independent ones by falling
    /// `first`.
    [[nodiscard]] bool outranks(std::size_t a, std::size_t b) const;

private:
    void indexProgram();
    void indexArguments();
    void markFrozen();
    void markInnermost();
    void collectRows();
    void collectNestedPacks();
    static void pack(RegionInfo& info, graph::OpIndex op, bool after);

    const graph::Program& m_program;
    std::optional<ModelCode> m_code; ///< of plans between ops
    std::vector<RegionInfo> m_regions;
    std::vector<std::int32_t> m_innermost;
    std::vector<bool> m_isKept;           ///< by op
    std::vector<bool> m_isFrozen;         ///< by op: no recomputation runs it
    std::vector<graph::OpIndex> m_frozen; ///< those ops, rising
    std::vector<std::uint32_t> m_rowStart;
    std::vector<std::uint32_t> m_rows;
    std::vector<std::vector<std::int32_t>> m_takers;
    std::vector<std::uint32_t> m_allocStart; ///< by moment + 1
    std::vector<graph::StorageId> m_allocated;
};

} // namespace plimsoll::plan
