// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/code.h"
#include "core/verify/replay/tree.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan::verifying {

/// References to the autograd nodes that backward never runs: found once, counted by each run of
/// the ops.
class DeadBranches
{
public:
    DeadBranches(const graph::Program& program, const CheckpointRegions& plan,
                 const FrameTree& tree);

    struct Branch
    {
        bool isCounted = false;              ///< a node that may be freed in forward
        bool isFinal = false;                ///< and saved something: its rows are freed with it
        graph::OpIndex fell = graph::kNever; ///< in the recording, when it saved something
        graph::OpIndex variables = graph::kNever; ///< when Python releases its results
        std::vector<std::size_t> rows;            ///< of `saved`
        std::vector<int> givers;                  ///< ops whose nodes it refers to
        std::vector<int> readers;                 ///< ops whose nodes refer to it
        std::vector<int> frames;                  ///< regions that received its results
    };
    [[nodiscard]] bool isEmpty() const { return m_branches.empty(); }
    [[nodiscard]] const Branch& operator[](graph::OpIndex op) const
    {
        return m_branches[static_cast<std::size_t>(op)];
    }
    /// The op whose node a row belongs to: a copy for an in-place op is part of that op.
    [[nodiscard]] graph::OpIndex nodeOf(std::size_t row) const { return m_nodeOfRow[row]; }
    /// Whether a row is freed with its node.
    [[nodiscard]] bool owns(std::size_t row) const
    {
        return !isEmpty() && (*this)[m_nodeOfRow[row]].isFinal;
    }
    /// Nodes that a region's frame refers to.
    [[nodiscard]] const std::vector<int>& givenTo(int frame) const
    {
        return m_given[static_cast<std::size_t>(frame)];
    }
    /// The last line of generated code; before the step if none runs.
    [[nodiscard]] graph::OpIndex lastLine() const { return m_lastLine; }

private:
    void classify(const graph::Program& program);
    /// By tensor: the ops after which it refers to their nodes.
    using Makers = std::vector<std::vector<int>>;
    void connect(const graph::Program& program, const FrameTree& tree, const Makers& makers);
    void connectFrame(const graph::Program& program, const FrameTree& tree, int frame,
                      const Makers& makers);
    void holdVariables(const graph::Program& program, const Makers& makers);
    [[nodiscard]] bool stood(int node, graph::OpIndex at) const
    {
        const Branch& branch = m_branches[static_cast<std::size_t>(node)];
        return !branch.isFinal || branch.fell >= at;
    }

    std::vector<Branch> m_branches; ///< by op of forward and loss
    std::vector<graph::OpIndex> m_nodeOfRow;
    std::vector<std::vector<int>> m_given;
    const graph::Call* m_code = nullptr;
    graph::OpIndex m_lastLine = graph::kBeforeStep;
};

} // namespace plimsoll::plan::verifying
