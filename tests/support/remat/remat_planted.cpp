// SPDX-License-Identifier: Apache-2.0
#include "tests/support/remat/remat_families.h"

#include <algorithm>

namespace plimsoll::tests {

using solve::RematOp;
using solve::RematPlan;
using solve::RematProblem;
using solve::RematRecomputeStep;

namespace {

/// A value and two consecutive ops of the given order that use it.
struct Idle
{
    std::uint32_t value = 0;
    std::uint32_t end = 0; ///< the later use
};

/// What the given order implies for each value.
struct Uses
{
    explicit Uses(const RematProblem& problem)
        : maker(problem.values.size()), of(problem.values.size())
    {
        for (std::uint32_t op = 0; op < problem.ops.size(); ++op) {
            for (const std::uint32_t value : problem.ops[op].makes)
                maker[value] = op;
            for (const auto* values :
                 {&problem.ops[op].reads, &problem.ops[op].makes, &problem.ops[op].overwrites})
                for (const std::uint32_t value : *values)
                    of[value].push_back(op);
        }
    }

    /// The next use behind `op` of each value that is idle during it.
    [[nodiscard]] std::vector<Idle> idleAt(std::uint32_t op) const
    {
        std::vector<Idle> idle;
        for (std::uint32_t value = 0; value < of.size(); ++value) {
            const auto next = std::lower_bound(of[value].begin(), of[value].end(), op);
            if (next != of[value].begin() && next != of[value].end() && *next != op)
                idle.push_back({value, *next});
        }
        return idle;
    }

    std::vector<std::uint32_t> maker;
    std::vector<std::vector<std::uint32_t>> of;
};

/// Ops that recompute a value before op `before`: its maker, after the makers of those inputs that
/// the given order no longer has by then, each with even chances.
void addMakers(const RematProblem& problem, const Uses& uses, std::uint32_t value,
               std::uint32_t before, Random& random, std::vector<std::uint32_t>& ops)
{
    constexpr std::size_t kMost = 6;
    const std::uint32_t maker = uses.maker[value];
    if (ops.size() >= kMost || std::find(ops.begin(), ops.end(), maker) != ops.end())
        return;
    ops.push_back(maker);
    for (const std::uint32_t read : problem.ops[maker].reads)
        if (uses.of[read].back() < before && random.percent(50))
            addMakers(problem, uses, read, before, random, ops);
}

RematPlan with(RematPlan plan, std::uint32_t before, const std::vector<std::uint32_t>& ops)
{
    auto row =
        std::find_if(plan.recomputeSteps.begin(), plan.recomputeSteps.end(),
                     [before](const RematRecomputeStep& again) { return again.before >= before; });
    if (row == plan.recomputeSteps.end() || row->before != before)
        row = plan.recomputeSteps.insert(row, {before, {}});
    for (const std::uint32_t op : ops)
        if (std::find(row->ops.begin(), row->ops.end(), op) == row->ops.end())
            row->ops.push_back(op);
    std::sort(row->ops.begin(), row->ops.end());
    return plan;
}

} // namespace

Planted plantPlan(const RematProblem& problem, Random& random, std::size_t rounds)
{
    const Uses uses{problem};
    Planted best{{}, solve::simulate(problem, {}).value()};
    for (std::size_t round = 0; round < rounds; ++round) {
        const std::uint32_t at = random.percent(70)
                                     ? best.figures.peakOp
                                     : static_cast<std::uint32_t>(random.below(problem.ops.size()));
        const std::vector<Idle> idle = uses.idleAt(at);
        if (idle.empty())
            continue;
        const Idle chosen = idle[random.below(idle.size())];
        std::vector<std::uint32_t> ops;
        addMakers(problem, uses, chosen.value, chosen.end, random, ops);
        RematPlan plan = with(best.plan, chosen.end, ops);
        const auto figures = solve::simulate(problem, plan);
        if (!figures || figures->peak > best.figures.peak
            || (figures->peak == best.figures.peak && !random.percent(10)))
            continue;
        best = {std::move(plan), *figures};
    }
    return best;
}

} // namespace plimsoll::tests
