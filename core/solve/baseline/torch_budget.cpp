// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"
#include "core/solve/baseline/baselines.h"
#include "core/solve/baseline/torch_budget_rows.h"
#include "core/solve/regions/run_plans.h"

#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::solve {

namespace {

constexpr std::int64_t kWholeRange = -1; ///< value of the option: all of it
constexpr std::int64_t kBetweenTwo = 25; ///< permille, where all of it is tried

enum class Knapsack : std::uint8_t { Exact, Greedy };

struct TorchBudgetOptions : OptionReader
{
    explicit TorchBudgetOptions(const OptionReader& given) : OptionReader{given} {}

    std::int64_t permille = get<std::int64_t>("budget-permille"); ///< or kWholeRange
    Knapsack solver = get<Knapsack>("solver");
};

base::Result<void> addBudgets(const plan::Problem& problem, RunPlans& plans,
                              const base::JobContext& job)
{
    const TorchBudgetOptions asked{plans.options()};
    TorchBudgetRows budgeted{problem, asked.solver == Knapsack::Greedy};
    if (!problem.pins.empty()) {
        plan::Plan plan = plans.blank();
        plan.asSchedule().recomputeSteps = budgeted.keepingAll();
        RETURN_IF_ERROR(plans.add(plan));
    }
    const std::int64_t first = asked.permille == kWholeRange ? 0 : asked.permille;
    const std::int64_t last = asked.permille == kWholeRange ? kWhole : asked.permille;
    for (std::int64_t permille = first; permille <= last; permille += kBetweenTwo) {
        std::optional<std::vector<plan::RecomputeStep>> rows = budgeted.at(permille, job);
        if (job.stopRequested())
            return {};
        if (!rows)
            continue;
        plan::Plan plan = plans.blank();
        plan.asSchedule().recomputeSteps = std::move(*rows);
        RETURN_IF_ERROR(plans.add(plan));
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
         "Keeps for backward what the min-cut partitioner of torch.compile keeps with "
         "activation_memory_budget, and recomputes the rest as late as possible.",
         {{.name = "budget-permille",
           .sentence =
               "activation_memory_budget in thousandths: the share of the bytes kept without a "
               "budget that may still be kept; -1 tries the whole range in steps of 25.",
           .lower = kWholeRange,
           .standard = kWholeRange,
           .upper = kWhole,
           .label = "Kept ‰"},
          {.name = "solver",
           .sentence = "How kept values are chosen: by an exact table, or by time per byte.",
           .lower = 0,
           .standard = 0,
           .upper = 1,
           .choices = {"dp", "greedy"},
           .label = "Knapsack"},
          stepRuntimeRecord()},
         "The min-cut partitioner of PyTorch 2.15 (torch/_functorch/partitioners.py) on the "
         "recorded "
         "ops, norms, activations, dropout and losses split as Inductor splits them.",
         {"Fused kernels: memory and times are those of the recorded ops run one by one.",
          "Values that the compiler keeps inside an op, such as a mask instead of an activation: "
          "what the op reads is kept.",
          "What it rewrites before it partitions the graph, such as attention that it recognises, "
          "or pooling with small indices.",
          "Capacities rounded to 1/10000, with which its dp may keep more than the budget: here "
          "they are exact.",
          "The peak: its budget counts what forward keeps for backward."}},
        addBudgets);
}

} // namespace plimsoll::solve
