// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace plimsoll::solve {

/// A place where a chain may be cut.
struct CutCandidate
{
    std::int64_t crossing = 0; ///< bytes of what crosses it
    std::int64_t saved = 0;    ///< bytes that the ops up to the next candidate save for backward
    bool isFixed = false;      ///< stays whatever it costs
};

/// Which candidates stay when at most `limit` may (fixed ones count and always do): ordinals,
/// ascending. A cut is worth the bytes that it tells apart, those of the smaller stage beside it,
/// less what crosses it beyond what crosses the cheaper of its neighbours.
[[nodiscard]] std::vector<std::size_t> thinned(const std::vector<CutCandidate>& candidates,
                                               std::size_t limit);

/// The same, but of the candidates behind every limit-th part of all saved bytes stays the one that
/// fewest bytes cross: many alike, as of a layer that runs over hundreds of time steps, are not
/// worth less than each other.
[[nodiscard]] std::vector<std::size_t> spread(const std::vector<CutCandidate>& candidates,
                                              std::size_t limit);

/// Which cuts are taken where not all have room.
enum class CutRule : std::uint8_t {
    Calls,     ///< between calls of modules: outer ones first, then inside the calls that save most
    Ops,       ///< between ops: those that tell most bytes apart and that few bytes cross
    OpsEvenly, ///< between ops: after every so many saved bytes the one that fewest bytes cross
};

/// The rule that regions at a granularity go with.
[[nodiscard]] constexpr CutRule cutRuleOf(plan::Granularity granularity)
{
    return granularity == plan::Granularity::Op ? CutRule::Ops : CutRule::Calls;
}

/// Where forward and loss of a program may be cut: between calls of modules or between any two ops
/// of the model. A cut c lies in front of op c.
class Cuts
{
public:
    /// At most `limit` cuts.
    Cuts(const graph::Program& program, CutRule rule, std::size_t limit);

    /// Ascending, starts with 0; the end of forward and loss is not among them.
    [[nodiscard]] const std::vector<graph::OpIndex>& positions() const { return m_positions; }
    /// Storages made before a cut that forward or loss uses after it, ascending. In front of op 0:
    /// inputs that forward uses.
    [[nodiscard]] std::vector<graph::StorageId> crossing(graph::OpIndex cut) const;

private:
    /// By depth, bytes saved in the parent (most first), parent: the cuts around its calls.
    using Families = std::map<std::tuple<int, std::int64_t, std::size_t>, std::set<graph::OpIndex>>;

    void chooseCalls(std::size_t limit);
    void chooseOps(CutRule rule, std::size_t limit);
    [[nodiscard]] Families families() const;
    /// By op ordinal: bytes that forward ops before it save for backward.
    [[nodiscard]] std::vector<std::int64_t> savedBeforeOps() const;
    /// By place: bytes of what crosses the cut there.
    [[nodiscard]] std::vector<std::int64_t> crossingBytes() const;
    [[nodiscard]] bool isIdle(graph::OpIndex at) const;
    [[nodiscard]] bool mayCut(graph::OpIndex cut) const;
    [[nodiscard]] bool crosses(std::size_t storageIndex, graph::OpIndex cut) const;

    const graph::Program& m_program;
    graph::OpIndex m_forwardOps = 0;
    std::vector<graph::OpIndex> m_lastUse; ///< by storage: last forward or loss op
    std::vector<graph::OpIndex> m_positions;
};

} // namespace plimsoll::solve
