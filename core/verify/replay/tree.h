// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/code.h"
#include "core/verify/replay/heap.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace plimsoll::plan::verifying {

inline constexpr int kNoRegion = -1;

/// A region as the runtime sees it: the checkpointed function and its frame.
struct Frame
{
    const Region* region = nullptr;
    int parent = kNoRegion;
    std::vector<int> children;
    graph::OpIndex first = 0;
    graph::OpIndex last = 0;
    std::vector<graph::StorageId> arguments; ///< one entry a tensor

    /// What the function's only variable holds between one member and the next.
    struct Passed
    {
        graph::StorageId storage;
        graph::OpIndex until = 0; ///< the next member has returned
        bool isResult = false;
    };
    std::vector<Passed> passed;            ///< each storage once
    std::vector<graph::StorageId> results; ///< as arguments

    // What forward leaves.
    int packs = 0;      ///< weak holders: rows directly in it, arguments of nested regions
    int references = 0; ///< holders of the frame: its call, hooks of saved tensors, nested frames

    // What backward does with it.
    bool recomputed = false;
    std::vector<InstanceId> copies; ///< results that its selective context keeps until fetched
    std::vector<InstanceId> packed; ///< its arguments in the table of the parent's frame
    int lateReleases = 0;           ///< rows that are released as soon as it is recomputed
};

/// The regions of a plan, parents before children, and where they begin, end and apply.
class FrameTree
{
public:
    FrameTree(const graph::Program& program, const CheckpointRegions& plan);

    [[nodiscard]] std::size_t size() const { return m_frames.size(); }
    [[nodiscard]] Frame& operator[](int frame) { return m_frames[static_cast<std::size_t>(frame)]; }
    [[nodiscard]] const Frame& operator[](int frame) const
    {
        return m_frames[static_cast<std::size_t>(frame)];
    }
    /// Innermost region around an op.
    [[nodiscard]] int innermost(graph::OpId op) const { return m_innermost[op.index()]; }
    [[nodiscard]] int innermost(graph::OpIndex op) const
    {
        return m_innermost[static_cast<std::size_t>(op)];
    }
    /// Whether the region around an op keeps its results.
    [[nodiscard]] bool isSaved(graph::OpIndex op) const
    {
        return m_isSaved[static_cast<std::size_t>(op)];
    }
    /// Regions whose first op it is, outer ones first.
    [[nodiscard]] const std::vector<int>& beginningAt(graph::OpIndex op) const
    {
        return m_beginning[static_cast<std::size_t>(op)];
    }
    [[nodiscard]] bool isInside(int frame, int ancestor) const;
    /// Order of two recomputations at one place: parents first, else the later region.
    [[nodiscard]] int rank(int frame) const { return m_rank[static_cast<std::size_t>(frame)]; }

    /// Variables of the functions that regions are: `held`, by storage, until when Python holds it,
    /// adjusted by what `root` (kNoRegion: the step) and the regions inside pass on.
    void passVariables(int root, std::vector<graph::OpIndex>& held) const;
    /// Op at whose end callers that wait for a region release what they would release at an op
    /// index; that index itself if they needn't wait. Regions inside `root` count.
    [[nodiscard]] graph::OpIndex waited(graph::OpIndex alloc, graph::OpIndex opIndex,
                                        int root) const;

private:
    void add(const Region& region, int parent);
    void rankSiblings(std::vector<int> siblings, int& next);
    void passOn(int id, bool hasCallers, std::vector<graph::OpIndex>& held) const;
    void collectMembers(Frame& frame) const;
    void collectPassed(Frame& frame) const;

    const graph::Program& m_program;
    std::optional<CodeReader> m_code; ///< of plans between ops
    std::vector<Frame> m_frames;
    std::vector<int> m_innermost;
    std::vector<bool> m_isSaved; ///< by op
    std::vector<std::vector<int>> m_beginning;
    std::vector<int> m_rank;
    std::vector<int> m_outermost;
};

} // namespace plimsoll::plan::verifying
