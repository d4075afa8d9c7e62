// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/budgeted_boundary.h"
#include "core/solve/common/run_plans.h"

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kWhole = 1000;    ///< permille
constexpr std::int64_t kWholeRange = -1; ///< value of the option: all of it
constexpr std::int64_t kBetweenTwo = 25; ///< permille, where all of it is tried
constexpr std::int64_t kGreedy = 1;

base::Result<void> addBudgets(const plan::Problem& problem, RunPlans& plans,
                              const base::JobContext& job)
{
    const std::int64_t asked = plans.option("budget-permille");
    const BudgetedBoundary budgeted{problem, plans.option("solver") == kGreedy};
    const std::int64_t first = asked == kWholeRange ? 0 : asked;
    const std::int64_t last = asked == kWholeRange ? kWhole : asked;
    for (std::int64_t permille = first; permille <= last; permille += kBetweenTwo) {
        if (job.stopRequested())
            return {};
        plan::Plan plan = plans.blank();
        plan.again = budgeted.rows(permille);
        if (base::Result<void> added = plans.add(plan); !added)
            return added;
        job.report(static_cast<std::size_t>(permille - first + 1),
                   static_cast<std::size_t>(last - first + 1));
    }
    return {};
}

} // namespace

std::unique_ptr<const Planner> makeTorchBudgetPlanner()
{
    return makeRunPlanner(
        {"torch-budget",
         "Torch memory budget",
         "Keeps for backward what a knapsack of values holds, and recomputes the rest as late as "
         "can be: what activation_memory_budget of torch.compile does.",
         {{.name = "budget-permille",
           .sentence =
               "Part of the bytes that backward reads which may be kept; -1 tries the whole "
               "range in steps of 25.",
           .lower = kWholeRange,
           .standard = kWholeRange,
           .upper = kWhole,
           .label = "Kept ‰"},
          {.name = "solver",
           .sentence = "How kept values are chosen: by an exact table, or by time per byte.",
           .lower = 0,
           .standard = 0,
           .upper = kGreedy,
           .choices = {"dp", "greedy"},
           .label = "Knapsack"},
          stepRuntimeRecord()},
         "The memory budget of PyTorch's min-cut partitioner (torch._functorch).",
         {"The compiler's fusion, which decides there what is cheap to recompute.",
          "The peak: its budget counts what forward keeps for backward."}},
        addBudgets);
}

} // namespace plimsoll::solve
