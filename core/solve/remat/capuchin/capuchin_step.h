// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"
#include "core/solve/regions/recompute_closure.h"
#include "core/solve/remat/capuchin/capuchin.h"

#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A training step as Capuchin plans it for the runtime Step. Values are storages with the same
/// numbers: views, and results written in place, are one value.
class CapuchinStep
{
public:
    /// Times are those of the problem's device. The problem's program must outlive it.
    explicit CapuchinStep(const plan::Problem& problem);

    [[nodiscard]] const CapuchinGraph& graph() const { return m_graph; }
    /// Candidates that are idle while the op, or a recomputation right before it, runs: used
    /// before, and not again until later. By value.
    [[nodiscard]] std::vector<bool> idleAt(graph::OpIndex op) const;
    /// Rows of Plan::recomputeSteps that drop the chosen values after their last use in forward and
    /// recompute each once; nothing if the runner can't.
    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
    rows(const std::vector<std::uint32_t>& chosen) const;

private:
    void addValue(std::size_t index);

    const graph::Program& m_program;
    RecomputeClosure m_closure;
    CapuchinGraph m_graph;
    std::vector<graph::OpIndex> m_lastForward; ///< by value: last use before its first in backward
    std::vector<bool> m_makesKept;             ///< by op: it computes what a pin keeps
    std::vector<bool> m_isLost; ///< by value: computed by forward, and dropped when backward begins
};

} // namespace plimsoll::solve
