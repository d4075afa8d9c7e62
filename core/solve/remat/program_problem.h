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
/// Ops
/// are those of forward, loss and backward, with the same numbers. Values are the storages that
/// they allocate, including their views; those that outlive these ops or that the optimizer uses
/// are kept. Floors are everything else: what is older than the step, and the reserve. An op may be
/// recomputed if the runner can recompute it anywhere: not if it reads something older than the
/// step that is overwritten later on, although it could be before that, nor if it computes what a
/// pin keeps.
[[nodiscard]] RematProblem problemOf(const plan::Problem& problem);

/// A plan of such a problem for the runtime Step, without planner and options.
[[nodiscard]] plan::Plan stepPlanOf(const RematPlan& plan);

/// The inverse, for a plan of the runtime Step.
[[nodiscard]] RematPlan rematPlanOf(const plan::Plan& plan);

/// The same step as a problem in which given recomputations are ops of their own, so that every
/// plan includes them. What they compute are values of their own, used from there on.
class RepeatedProblem
{
public:
    /// `rows` must be a plan that simulate() accepts for the problem.
    RepeatedProblem(const RematProblem& problem, std::vector<RematRecomputeStep> rows);

    [[nodiscard]] const RematProblem& problem() const { return m_problem; }
    /// A plan of problem() as one of the original problem. The recomputations before one op are in
    /// rising order there, each once, so that it may need other memory than here.
    [[nodiscard]] RematPlan original(const RematPlan& plan) const;
    /// The inverse, without what is recomputed before the same ops anyway: recomputations are of
    /// the latest instance by then. simulate() says whether it can run.
    [[nodiscard]] RematPlan repeated(const RematPlan& plan) const;

private:
    void addOp(const RematProblem& from, std::uint32_t op, std::uint32_t stands, bool isRecomputed);

    RematProblem m_problem;
    std::vector<std::uint32_t> m_opOf;     ///< by op: of the original that it executes
    std::vector<std::uint32_t> m_standsAt; ///< by op: the original that it precedes or is
    std::vector<std::uint32_t> m_valueOf;  ///< by original's value: its current value
};

/// Recomputations without which a step (runtime Step) violates a problem's "recompute" pins; none
/// if there are no such pins, nothing if the runner can't do what they require, or only by
/// recomputing what others keep.
[[nodiscard]] std::optional<std::vector<RematRecomputeStep>>
rowsOfPins(const plan::Problem& problem);

} // namespace plimsoll::solve
