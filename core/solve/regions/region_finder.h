// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "core/solve/regions/region_space.h"

#include <span>
#include <vector>

namespace plimsoll::solve {

/// By forward or loss op: the newest op up to it that a region ending there must not hold;
/// kBeforeStep: there is none. Slices of one storage (unsafe_split's, a GRU's gates) may be written
/// when another one is saved already: a recomputation has to come to these writes, and it stops
/// where the last saved tensor of the region is made.
[[nodiscard]] std::vector<graph::OpIndex> newestUnwritten(const graph::Program& program);

/// Knows every run of calls of modules that is a legal region (REGIONS in
/// core/lower/checkpoint/LIFETIMES.md) and the calls that make it up. Where several lists of calls
/// make up the same ops, the shortest list, of the outermost calls, is taken.
class RegionFinder final : public RegionSpace
{
public:
    explicit RegionFinder(const graph::Program& program);

    [[nodiscard]] plan::Granularity granularity() const override
    {
        return plan::Granularity::Module;
    }
    /// The calls that tile first..last, in order; empty: not a legal region. O(ops between).
    [[nodiscard]] std::vector<graph::CallId> members(graph::OpIndex first,
                                                     graph::OpIndex last) const override;
    /// O(ops of the longest).
    [[nodiscard]] std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const override;

private:
    void indexUses();
    void indexCalls();
    void indexResults();
    [[nodiscard]] bool mayFollow(graph::CallId previous, graph::CallId next,
                                 graph::CallId head) const;
    [[nodiscard]] bool isCalledAlike(const graph::Call& head, const graph::Call& before,
                                     const graph::Call& after) const;
    [[nodiscard]] bool mayRunAgain(const graph::Call& member, const graph::Call& head) const;
    [[nodiscard]] bool passesPrivately(const graph::Call& giver, const graph::Call& head) const;
    [[nodiscard]] bool mayEnd(graph::CallId head, graph::CallId tail) const;
    [[nodiscard]] std::span<const graph::CallId> runFrom(graph::CallId head,
                                                         graph::OpIndex last) const;
    [[nodiscard]] bool has(const std::vector<graph::TensorId>& tensors,
                           graph::StorageId storage) const;

    const graph::Program& m_program;
    graph::OpIndex m_forwardOps = 0;
    std::vector<graph::OpIndex> m_python; ///< by storage: p(S) of LIFETIMES.md
    std::vector<graph::OpIndex>
        m_lastUse; ///< by storage: last forward or loss op that has to do with it
    std::vector<graph::OpIndex>
        m_lastWrite; ///< by storage: last forward or loss op that writes it in place
    std::vector<graph::OpIndex> m_newestUnreturned; ///< by call: op that made the newest storage
                                                    ///< needed behind it that it doesn't return
    std::vector<graph::OpIndex> m_unwritten;        ///< newestUnwritten()
    std::vector<bool>
        m_fixed; ///< by forward op: forward unpacks what it saves, or backward runs it again anyway
    std::vector<std::vector<graph::CallId>>
        m_beginning; ///< by forward op: calls that begin with it, outer ones first
    std::vector<std::vector<graph::CallId>>
        m_children; ///< by call, in order; the last entry holds those without a parent
    std::vector<std::size_t> m_place; ///< by call: among its siblings
};

/// Legal regions between ops (REGIONS AT OP GRANULARITY in core/lower/checkpoint/LIFETIMES.md):
/// from each op on all runs up to a longest one.
class OpRegionFinder final : public RegionSpace
{
public:
    explicit OpRegionFinder(const graph::Program& program);

    [[nodiscard]] plan::Granularity granularity() const override { return plan::Granularity::Op; }
    [[nodiscard]] std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const override;
    [[nodiscard]] std::vector<graph::CallId> members(graph::OpIndex /*first*/,
                                                     graph::OpIndex /*last*/) const override
    {
        return {};
    }

private:
    graph::OpIndex m_first = 0;
    std::vector<graph::OpIndex> m_barrier;   ///< by op of the model, from m_first on: the first op
    std::vector<graph::OpIndex> m_unwritten; ///< newestUnwritten()
    std::vector<bool> m_isEnd;               ///< by op of the call: a region may end there
                                             ///< that a region beginning here can't hold
};

} // namespace plimsoll::solve
