// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"
#include "core/plan/plan.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A training step under the runtime Step (STEP_RUNTIME.md) as a rematerialization problem.
///
/// Ops are those of forward, loss and backward, under their own numbers. Values are the storages
/// that they allocate, views belonging to theirs; what outlives them or what the optimizer uses is
/// kept. Floors are everything else: what was there before the step, and the reserve. An op may
/// repeat when the runner can repeat it anywhere: not one that reads what is older than the step
/// and overwritten later on, although it could before that, and none that makes what a pin keeps.
[[nodiscard]] RematProblem problemOf(const plan::Problem& problem);

/// A plan of such a problem for the runtime Step, without planner and options.
[[nodiscard]] plan::Plan stepPlanOf(const RematPlan& plan);

/// The opposite, of a plan for the runtime Step.
[[nodiscard]] RematPlan rematPlanOf(const plan::Plan& plan);

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
