// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"
#include "core/solve/regions/cuts.h"
#include "core/solve/regions/region_space.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A plan of checkpoint regions before its regions are determined: each segment of forward becomes
/// at most one region, around what is dropped in it.
struct RegionDraft
{
    std::vector<graph::OpIndex> begins; ///< of the segments, rising, 0 first
    std::vector<bool> recomputed;       ///< by forward or loss op: its results are dropped
    std::vector<bool> kept;             ///< by op: results that stay in a region around them
    /// Whether segments are joined so that a region isn't given, to hold for backward, much that
    /// only forward needs.
    bool joins = false;
};

/// A candidate to drop while an op runs whose memory is too high.
struct RegionDrop
{
    graph::OpId op;
    std::int64_t bytes = 0; ///< those of its results that are in memory
    double price = 0;       ///< nanoseconds per byte, of all ops that are then recomputed
};

/// Turns decisions about single results into regions, for any graph. A result is dropped only if
/// one region contains its op and all ops that save it: the segments between them are joined.
class RegionDrafts
{
public:
    /// `space` is of the problem; both must outlive it.
    RegionDrafts(const plan::Problem& problem, const RegionSpace& space);

    /// A draft that keeps everything, with at most so many segments.
    [[nodiscard]] RegionDraft blank(CutRule rule, std::size_t segments) const;
    /// Drops what can be dropped within its segment and keeps the rest.
    [[nodiscard]] RegionDraft allAgain(RegionDraft draft) const;
    /// Drops the op's results.
    void drop(RegionDraft& draft, graph::OpId op) const;
    /// Keeps the op's results, if a region may keep them.
    void takeBack(RegionDraft& draft, graph::OpId op) const
    {
        draft.recomputed[op.index()] = false;
        draft.kept[op.index()] = m_keepable[op.index()];
    }
    /// Regions of the plan; nothing if a segment has no legal one around everything that it drops.
    [[nodiscard]] std::optional<std::vector<plan::Region>> regionsOf(const RegionDraft& draft);
    /// What may help at the peak of a draft's plan, cheapest per byte first.
    [[nodiscard]] std::vector<RegionDrop> dropsAt(const RegionDraft& draft,
                                                  const plan::Evaluation& evaluation) const;
    /// Drafts that recompute less at once while the op at the peak runs.
    [[nodiscard]] std::vector<RegionDraft> splitsAt(const RegionDraft& draft,
                                                    const plan::Evaluation& evaluation) const;
    /// Dropped ops whose results may be kept, those that save most time per byte first.
    [[nodiscard]] std::vector<graph::OpId> returns(const RegionDraft& draft) const;

private:
    /// Ops inclusive.
    struct Span
    {
        graph::OpIndex first = graph::kNever;
        graph::OpIndex last = graph::kBeforeStep;

        [[nodiscard]] bool isEmpty() const { return last < first; }
    };
    struct Segment
    {
        graph::OpIndex begin = 0;
        graph::OpIndex end = 0; ///< after its last op
        Span recomputeSpan;     ///< what its region must contain
    };

    void indexOps();
    void indexUses();
    [[nodiscard]] std::vector<Segment> segmentsOf(const RegionDraft& draft) const;
    /// The first segment of the region that recomputes the op's results.
    [[nodiscard]] std::size_t homeOf(const RegionDraft& draft, graph::OpIndex op) const;
    [[nodiscard]] std::optional<Span> legalAround(const Segment& segment);
    [[nodiscard]] std::vector<graph::OpId> savesIn(const RegionDraft& draft, Span span) const;
    [[nodiscard]] std::vector<double> againTimes(const RegionDraft& draft) const;
    /// Nanoseconds that a region's recomputation takes, out of againTimes().
    [[nodiscard]] double timeOf(const std::vector<double>& before, Span span) const;
    [[nodiscard]] graph::OpIndex firstUnpack(graph::OpIndex first, graph::OpIndex last) const;

    const plan::Problem& m_problem;
    const graph::Program& m_program;
    const RegionSpace& m_space;
    graph::OpIndex m_forward;              ///< ops of forward and loss
    std::vector<double> m_time;            ///< by op, nanoseconds
    std::vector<bool> m_keepable;          ///< by op: a region may keep it, and no pin forbids it
    std::vector<std::int64_t> m_made;      ///< by op: bytes of its results
    std::vector<std::int64_t> m_waiting;   ///< by op: bytes of its results that backward unpacks
    std::vector<graph::OpIndex> m_packed;  ///< by op: last op that saves one of its results
    std::vector<graph::OpIndex> m_lastUse; ///< by op: last of forward and loss that uses one
    std::vector<graph::OpIndex> m_unpack;  ///< by op: first unpacking of what it saves
    std::vector<graph::OpIndex> m_reach;   ///< by op: the first of the ops that compute its inputs
                                           ///< that only forward needs, their inputs, and so on
    std::vector<std::vector<graph::OpIndex>>
        m_passing;                      ///< by op: makers of its forward-only inputs
    std::vector<graph::OpIndex> m_cuts; ///< where segments may be divided
    std::vector<graph::OpIndex> m_stop; ///< by op: the op before which the recomputation of a
                                        ///< region that ends with it stops
    /// By a segment's begin and end, and by what must lie in its region.
    std::map<std::array<graph::OpIndex, 4>, std::optional<Span>> m_legal;
};

} // namespace plimsoll::solve
