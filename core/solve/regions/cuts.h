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
    bool isFixed = false;      ///< always kept
};

/// Which candidates to keep if at most `limit` may be (fixed ones count and always are): ordinals,
/// ascending. A cut is worth the bytes that it separates, those of the smaller stage beside it,
/// less what crosses it in addition to what crosses the cheaper of its neighbours.
[[nodiscard]] std::vector<std::size_t> thinned(const std::vector<CutCandidate>& candidates,
                                               std::size_t limit);

/// The same, but of the candidates after every limit-th part of all saved bytes, keeps the one that
/// fewest bytes cross: many similar ones, as of a layer that runs over hundreds of time steps,
/// should be worth the same.
[[nodiscard]] std::vector<std::size_t> spread(const std::vector<CutCandidate>& candidates,
                                              std::size_t limit);

/// Which cuts to keep if there are too many.
enum class CutRule : std::uint8_t {
    Calls,     ///< between calls of modules: outer ones first, then inside the calls that save most
    Ops,       ///< between ops: those that separate most bytes and that few bytes cross
    OpsEvenly, ///< between ops: in every share of the saved bytes, the one that fewest bytes
               ///< cross
};

/// The rule for regions of a granularity.
[[nodiscard]] constexpr CutRule cutRuleOf(plan::Granularity granularity)
{
    return granularity == plan::Granularity::Op ? CutRule::Ops : CutRule::Calls;
}

/// Where forward and loss of a program may be cut: between calls of modules or between any two ops
/// of the model. Cut c is before op c.
class Cuts
{
public:
    /// At most `limit` cuts.
    Cuts(const graph::Program& program, CutRule rule, std::size_t limit);

    /// Ascending, starts with 0; the end of forward and loss is not among them.
    [[nodiscard]] const std::vector<graph::OpIndex>& positions() const { return m_positions; }
    /// Storages allocated before a cut that forward or loss uses after it, ascending. Before op 0:
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
