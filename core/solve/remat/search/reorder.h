// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/plan/plan.h"
#include "core/solve/bounds/remat_problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// Numbers of a step's ops as they run. What runs ahead of the first op that hasn't run is rising.
using StepOrder = std::vector<std::uint32_t>;

/// The order in which the runner executes what any topological order brings ahead: runs of ops
/// ahead of the same one in rising order.
[[nodiscard]] StepOrder runnersOrder(const StepOrder& order);

/// A step as a problem in another order: op k of it is the order's k-th.
[[nodiscard]] RematProblem inOrder(const RematProblem& problem, const StepOrder& order);

/// Rows of repetitions of the step as those of such a problem: before the same ops.
[[nodiscard]] std::vector<RematRecomputeStep> inOrder(const std::vector<RematRecomputeStep>& rows,
                                                      const StepOrder& order);

/// A plan of such a problem for the runtime Step. Nothing where it takes an op to run twice ahead
/// of the same one, which a row can't say.
[[nodiscard]] std::optional<plan::Plan> stepPlanOf(const RematPlan& plan, const StepOrder& order);

/// Orders in which the runtime Step may execute the ops of a step
/// (core/lower/compiled_step/STEP_RUNTIME.md), and what each needs when nothing is repeated.
class StepOrders
{
public:
    explicit StepOrders(const plan::Problem& problem);

    /// By the number of its ops in an order: each needs all of these before it.
    [[nodiscard]] const std::vector<std::uint32_t>& before(std::uint32_t op) const
    {
        return m_before[op];
    }
    /// Bytes of what the runner's ops make, at the fullest op.
    [[nodiscard]] std::int64_t peakOf(const StepOrder& order) const;
    /// An order of the runner's with the smallest peak that local moves find, which bring ops
    /// behind the fullest one or in front of it; as recorded where none is smaller. Stopped it
    /// returns what it has.
    [[nodiscard]] StepOrder lowest(const base::JobContext& job) const;

private:
    struct Fullest
    {
        std::int64_t bytes = 0;
        std::size_t place = 0; ///< in the order, the first one
        std::size_t count = 0; ///< of places that are as full

        [[nodiscard]] bool isBelow(const Fullest& other) const
        {
            return bytes != other.bytes ? bytes < other.bytes : count < other.count;
        }
    };

    struct Touched;
    void indexUses();
    [[nodiscard]] Touched touchedBy(const graph::Op& op) const;
    [[nodiscard]] std::int64_t addedBy(std::uint32_t op, const std::vector<std::size_t>& storages,
                                       const std::vector<std::size_t>& usesLeft) const;
    void addEdges();
    [[nodiscard]] Fullest fullestOf(const StepOrder& order) const;
    [[nodiscard]] StepOrder releasing() const;
    [[nodiscard]] bool improve(StepOrder& order, Fullest& fullest, std::size_t& left,
                               const base::JobContext& job) const;
    [[nodiscard]] std::vector<StepOrder> movesAt(const StepOrder& order, std::size_t place) const;
    [[nodiscard]] StepOrder delayed(const StepOrder& order, const std::vector<std::size_t>& places,
                                    std::uint32_t op, std::size_t place) const;
    [[nodiscard]] StepOrder hastened(const StepOrder& order, const std::vector<std::size_t>& places,
                                     std::vector<std::uint32_t> ops, std::size_t place) const;

    const plan::Problem& m_problem;
    const graph::Program& m_program;
    std::uint32_t m_ops;                              ///< of forward, loss and backward
    std::uint32_t m_forward;                          ///< of forward and loss
    std::vector<std::vector<std::uint32_t>> m_before; ///< by op
    std::vector<std::vector<std::uint32_t>> m_behind; ///< by op
    std::vector<std::vector<std::uint32_t>> m_usedBy; ///< by storage that the runner manages
    std::vector<std::int64_t> m_bytes;                ///< by storage, 0: not managed
    std::vector<bool> m_isKept;                       ///< by storage: outlives the runner's ops
};

} // namespace plimsoll::solve
