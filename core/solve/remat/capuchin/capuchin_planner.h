// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"
#include "core/solve/remat/capuchin/capuchin_step.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Capuchin on a whole step. Picks only values that are idle at the peak and reduce the memory of
/// the simulated step, otherwise the next best ones. The picks don't depend on a budget, so each
/// prefix of them is a plan.
class CapuchinRun
{
public:
    /// The problem must outlive it; its budget is ignored. Never picks what its pins keep.
    explicit CapuchinRun(const plan::Problem& problem);

    /// Picks one more value that pins recompute, whether it helps or not, best first. False if
    /// there is none, or the runner can't recompute it.
    [[nodiscard]] bool nextPinned();
    /// Whether all values that pins recompute were picked.
    [[nodiscard]] bool meetsPins() const;
    /// Picks one more value; false if nothing helps.
    [[nodiscard]] bool next();
    [[nodiscard]] const std::vector<Pick>& picks() const { return m_picks; }
    /// The plan of all picks so far.
    [[nodiscard]] const std::vector<plan::RecomputeStep>& rows() const { return m_rows; }

private:
    /// The height and number of the step's peaks.
    struct Height
    {
        std::int64_t peak = 0;
        std::size_t steps = 0;     ///< steps that reach it
        graph::OpIndex moment = 0; ///< op that the first of them runs or prepares

        [[nodiscard]] bool isBelow(const Height& other) const
        {
            return peak != other.peak ? peak < other.peak : steps < other.steps;
        }
    };
    [[nodiscard]] Height simulate(const std::vector<plan::RecomputeStep>& rows) const;
    /// `mustHelp`: the pick must reduce the step's memory.
    [[nodiscard]] bool tryPick(std::uint32_t value, bool mustHelp);

    const plan::Problem& m_problem;
    CapuchinStep m_step;
    CapuchinChooser m_chooser;
    std::vector<std::uint32_t> m_chosen; ///< in order
    std::vector<bool> m_isRefused;       ///< by value: picked without effect
    std::vector<bool> m_isPinned;        ///< by value: a pin recomputes it
    std::vector<plan::RecomputeStep> m_rows;
    std::vector<Pick> m_picks;
    Height m_height;
};

/// The planner "capuchin": the recomputation of Capuchin (ASPLOS 2020), simulated after every
/// choice; plans for the runtime Step.
[[nodiscard]] std::unique_ptr<const Planner> makeCapuchinPlanner();

} // namespace plimsoll::solve
