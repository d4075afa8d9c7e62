// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lower/checkpoint/region_table.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace plimsoll::plan {

/// Nodes of autograd that no backward runs, such as those of a head that the loss doesn't need.
/// What they save goes with them, once nobody refers to them: neither variables nor nodes that read
/// their results, nor frames of regions that were given those. "Dead nodes" in LIFETIMES.md.
class DeadNodes
{
public:
    DeadNodes(const graph::Program& program, const RegionTable& table);

    /// Whether a row of `saved` belongs to a dead node.
    [[nodiscard]] bool owns(std::uint32_t row) const
    {
        return m_isAny && m_kind[nodeOf(m_program.saved[row].op)] == Kind::Dead;
    }
    /// The op, by its index, whose node a row of an op belongs to.
    [[nodiscard]] std::size_t nodeOf(graph::OpId op) const
    {
        const bool isCopy =
            m_code != nullptr && m_code->isCopyForNext(static_cast<graph::OpIndex>(op.index()));
        return op.index() + (isCopy ? 1 : 0);
    }

    /// An execution of forward and loss, or of a region by its recomputation.
    struct Run
    {
        std::int32_t region = -1; ///< -1: the step's own forward
        /// The step of this run for an op index of the recording.
        std::function<std::int32_t(graph::OpIndex)> place;
        /// Step until which a region's frame stands, whatever its rows do.
        std::function<std::int32_t(std::int32_t)> frame;
    };
    /// Steps after which things go.
    struct Ends
    {
        /// Of a dead node of the run, by its op.
        [[nodiscard]] std::int32_t node(std::size_t op) const { return nodes[op - firstOp]; }
        /// Of the frame of a region that lies inside of the run.
        [[nodiscard]] std::int32_t frame(std::int32_t region) const
        {
            return frames[static_cast<std::size_t>(region - firstRegion)];
        }

        std::size_t firstOp = 0;
        std::int32_t firstRegion = 0;
        std::vector<std::int32_t> nodes;
        std::vector<std::int32_t> frames;
    };
    /// O(ops of the run, times nesting); without dead nodes O(regions of the run).
    [[nodiscard]] Ends follow(const Run& run) const;

private:
    enum class Kind : std::uint8_t {
        None,    ///< no node, or one that backward runs
        Unknown, ///< saves nothing: dead if those are that read its results
        Dead,
    };
    void classify();
    void collectResults();
    void findReaders();
    void findTakers();
    void findVariables();
    [[nodiscard]] bool isReading(std::size_t node, graph::OpIndex reader) const;
    [[nodiscard]] bool isTaking(std::size_t node, graph::TensorId tensor,
                                const RegionInfo& region) const;
    [[nodiscard]] graph::OpIndex waited(std::size_t node, std::int32_t region) const;
    [[nodiscard]] std::int32_t endOf(std::size_t node, const Run& run, const Ends& ends) const;
    void followRows(std::size_t op, const Run& run, Ends& ends) const;

    const graph::Program& m_program;
    const RegionTable& m_table;
    const ModelCode* m_code; ///< that of the table
    bool m_isAny = false;
    std::vector<Kind> m_kind;                            ///< by op
    std::vector<graph::OpIndex> m_recorded;              ///< by op: when the dead node fell
    std::vector<std::vector<graph::TensorId>> m_results; ///< by op
    std::vector<std::vector<std::size_t>> m_readOf;      ///< by tensor: ops that read it
    std::vector<std::vector<std::size_t>> m_readers;     ///< by op: ops whose nodes refer to its
    std::vector<std::vector<std::int32_t>> m_takers;     ///< by op: regions given its result
    std::vector<graph::OpIndex> m_variables;             ///< by op: until when they hold the node
    std::vector<std::vector<std::uint32_t>> m_rows;      ///< by op
};

} // namespace plimsoll::plan
