// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// The same step as a problem in which given repetitions are ops of their own, so that every plan
/// of it has them. What they make are values of their own, used from there on.
class RepeatedProblem
{
public:
    /// `rows` must be a plan that simulate() takes for the problem.
    RepeatedProblem(const RematProblem& problem, std::vector<RematRecomputeStep> rows);

    [[nodiscard]] const RematProblem& problem() const { return m_problem; }
    /// A plan of problem() as one of the problem that this was made from. What runs before one op
    /// is in rising order there, each once, so that it may need other memory than here.
    [[nodiscard]] RematPlan original(const RematPlan& plan) const;
    /// The opposite, less what runs again before the same ops anyway: repetitions are of what was
    /// made last by then. simulate() says whether it can run.
    [[nodiscard]] RematPlan repeated(const RematPlan& plan) const;

private:
    void addOp(const RematProblem& from, std::uint32_t op, std::uint32_t stands, bool isRecomputed);

    RematProblem m_problem;
    std::vector<std::uint32_t> m_opOf;     ///< by op: of the original that it executes
    std::vector<std::uint32_t> m_standsAt; ///< by op: the original before which, or as which, it
                                           ///< runs
    std::vector<std::uint32_t> m_valueOf;  ///< by original's value: what it is at present
};

/// Repetitions without which a step (runtime Step) breaks a problem's pins "recompute"; none where
/// there are no such pins, nothing where the runner can't do what they ask for, or only by
/// repeating what others keep.
[[nodiscard]] std::optional<std::vector<RematRecomputeStep>>
rowsOfPins(const plan::Problem& problem);

} // namespace plimsoll::solve
