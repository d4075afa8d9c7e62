// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lower/checkpoint/region_table.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace plimsoll::plan {

/// Autograd nodes that no backward runs, such as those of a head that the loss doesn't need. Their
/// saved tensors are released once nothing refers to the nodes: no variable, no node that read
/// their results, no frame of a region that received those results. "Dead nodes" in LIFETIMES.md.
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

    /// A run of forward and loss, or the recomputation of a region.
    struct Run
    {
        std::int32_t region = -1; ///< -1: the step's own forward
        /// The step of this run for an op index of the recording.
        std::function<std::int32_t(graph::OpIndex)> place;
        /// Step until which a region's frame exists, whatever its rows do.
        std::function<std::int32_t(std::int32_t)> frame;
    };
    /// Steps after which something is released.
    struct Ends
    {
        /// Of a dead node of the run, by its op.
        [[nodiscard]] std::int32_t node(std::size_t op) const { return nodes[op - firstOp]; }
        /// Of the frame of a region inside the run.
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
        Unknown, ///< saves nothing: dead if the nodes that read its results are
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
    std::vector<graph::OpIndex> m_recorded;              ///< by op: when the dead node was released
    std::vector<std::vector<graph::TensorId>> m_results; ///< by op
    std::vector<std::vector<std::size_t>> m_readOf;      ///< by tensor: ops that read it
    std::vector<std::vector<std::size_t>> m_readers;     ///< by op: ops whose nodes refer to its
    std::vector<std::vector<std::int32_t>> m_takers;     ///< by op: regions given its result
    std::vector<graph::OpIndex> m_variables;             ///< by op: until when they hold the node
    std::vector<std::vector<std::uint32_t>> m_rows;      ///< by op
};

} // namespace plimsoll::plan
