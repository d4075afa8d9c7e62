// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"
#include "core/solve/remat/capuchin/capuchin_step.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Capuchin on a whole step. Only values that wait at the peak are picked, and only those with
/// which the simulated step needs less: the next best ones otherwise. The picks don't depend on a
/// budget, so that each prefix of them is a plan.
class CapuchinRun
{
public:
    /// The problem must outlive it; its budget is ignored. What its pins keep is never picked.
    explicit CapuchinRun(const plan::Problem& problem);

    /// Picks one more of what the pins recompute, whatever it helps, best first. False: there is
    /// none, or the runner can't.
    [[nodiscard]] bool nextPinned();
    /// Whether nothing is left that the pins recompute.
    [[nodiscard]] bool meetsPins() const;
    /// Picks one more; false when nothing helps.
    [[nodiscard]] bool next();
    [[nodiscard]] const std::vector<Pick>& picks() const { return m_picks; }
    /// The plan of all picks so far.
    [[nodiscard]] const std::vector<plan::RecomputeStep>& rows() const { return m_rows; }

private:
    /// How high the step's peaks are, and how many.
    struct Height
    {
        std::int64_t peak = 0;
        std::size_t steps = 0;     ///< that reach it
        graph::OpIndex moment = 0; ///< op that the first of them runs or prepares

        [[nodiscard]] bool isBelow(const Height& other) const
        {
            return peak != other.peak ? peak < other.peak : steps < other.steps;
        }
    };
    [[nodiscard]] Height simulate(const std::vector<plan::RecomputeStep>& rows) const;
    /// `mustHelp`: the step must need less with it.
    [[nodiscard]] bool tryPick(std::uint32_t value, bool mustHelp);

    const plan::Problem& m_problem;
    CapuchinStep m_step;
    CapuchinChooser m_chooser;
    std::vector<std::uint32_t> m_chosen; ///< in order
    std::vector<bool> m_isRefused;       ///< by value: picked, it did not help
    std::vector<bool> m_isPinned;        ///< by value: a pin recomputes it
    std::vector<plan::RecomputeStep> m_rows;
    std::vector<Pick> m_picks;
    Height m_height;
};

/// The planner "capuchin": what Capuchin (ASPLOS 2020) recomputes, simulated after every choice;
/// plans for the runtime Step.
[[nodiscard]] std::unique_ptr<const Planner> makeCapuchinPlanner();

} // namespace plimsoll::solve
