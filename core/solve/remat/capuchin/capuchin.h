// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A value of a training step as Capuchin's recomputation sees it (ASPLOS 2020, 4.4).
struct CapuchinValue
{
    std::int64_t bytes = 0;
    std::vector<std::uint32_t> ops;   ///< that compute it, rising; none: it is always in memory
    std::vector<std::uint32_t> reads; ///< values that those ops read, each once, except itself
    bool isCandidate = false; ///< forward computes it, backward uses it, it can be recomputed
    graph::OpIndex firstBackward = 0; ///< rank of its first use in backward; candidates only
};

struct CapuchinGraph
{
    std::vector<double> times; ///< by op
    std::vector<CapuchinValue> values;
};

/// How a value came to be chosen.
struct CapuchinPick
{
    std::uint32_t value = 0;
    std::int64_t bytes = 0;
    std::uint32_t multiplicity = 0; ///< number of recomputations: its own, and one for each
                                    ///< previously chosen value that depends on it
    double recomputeTime = 0;       ///< of one of them
    double msps = 0; ///< memory saved per time: bytes / (multiplicity x recomputeTime); infinite if
                     ///< it takes no time
};

/// What recomputing a value takes, given the current choices.
struct CapuchinLineage
{
    std::vector<std::uint32_t> sources; ///< rising: unchosen candidates that it depends on
    std::vector<std::uint32_t> ops;     ///< rising: ops that run for it, each once
    double time = 0;                    ///< of those
};

/// The state of Capuchin's choice: which values were chosen, and what each candidate would now
/// cost. Lineages are sets, so that what several paths lead to counts once.
class CapuchinChooser
{
public:
    /// The graph must outlive it.
    explicit CapuchinChooser(const CapuchinGraph& graph);

    [[nodiscard]] const CapuchinLineage& lineage(std::uint32_t value) const
    {
        return m_lineages[value];
    }
    [[nodiscard]] bool isChosen(std::uint32_t value) const { return m_isChosen[value]; }
    /// What the pick would be. Requires a candidate that isn't chosen.
    [[nodiscard]] CapuchinPick rate(std::uint32_t value) const;
    /// The candidate with most memory per time among the eligible ones (by value) that aren't
    /// chosen, the first of equals; those that take no time by size.
    [[nodiscard]] std::optional<std::uint32_t> best(const std::vector<bool>& isEligible) const;
    /// Chooses a candidate: from now on, lineages of all values computed from it, chosen or not,
    /// include it.
    CapuchinPick choose(std::uint32_t value);

private:
    void trace(std::uint32_t value);
    void fold(std::uint32_t chosen, std::uint32_t value);

    const CapuchinGraph& m_graph;
    std::vector<CapuchinLineage> m_lineages; ///< by value; empty if not a candidate
    std::vector<bool> m_isChosen;
    std::vector<std::uint32_t> m_dependents; ///< by value: chosen ones that have it as a source
};

/// Ops, rising, that recompute values before a rank; by value, which ones are not in memory then.
/// Nothing if they can't be recomputed then.
using Remake = std::function<std::optional<std::vector<graph::OpId>>(
    graph::OpIndex before, const std::vector<std::uint32_t>& wanted,
    const std::vector<bool>& isGone)>;

/// Capuchin's reduction: each chosen value is recomputed once, for its first user, and kept for the
/// others. Values that aren't candidates aren't kept: `isLost` (by value) says which ones backward
/// doesn't find. Rising ranks; nothing if `remake` finds no way.
[[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
reduced(const CapuchinGraph& graph, const std::vector<std::uint32_t>& chosen,
        const std::vector<bool>& isLost, const Remake& remake);

} // namespace plimsoll::solve
