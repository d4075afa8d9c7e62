// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::workspace {

enum class SizeStatus {
    Runs,
    Fails,      ///< plans are within the budget, but fragmentation makes each run out of it
    NotFound,   ///< the planner found no plan within the budget
    Infeasible, ///< proven: no plan is within the budget
    Refused,    ///< the step can't be resized to that size, or the planner can't plan it
};

/// "runs", "fails", "not_found", "infeasible", "refused".
[[nodiscard]] std::string_view sizeStatusName(SizeStatus status);

/// An attempt to plan the step at one size of an axis.
struct SizeTrial
{
    std::int64_t size = 0;
    SizeStatus status = SizeStatus::NotFound;
    plan::VerifiedPlanPtr unplanned = {};   ///< only if it runs: the step without a plan
    plan::FrontierPoint plan = {};          ///< only if it runs: the plan to take
    std::optional<run::RunStatus> run = {}; ///< of that plan; empty for the CPU
    std::string refusal = {};               ///< one sentence, if it was refused
};

/// An axis whose size is changed, while the others stay as chosen, and the planner that is asked.
struct SizeQuestion
{
    std::string axis;
    Choices choices;
};

/// The largest size of an axis for which a planner has a plan that runs, as far as it is known.
struct LargestSize
{
    std::optional<SizeTrial> largest; ///< of those that were tried and run
    std::optional<SizeTrial> next;    ///< the smallest one tried above it, which doesn't run
    bool isOver = false; ///< no size lies between the two; without `next` there is no larger one
};

/// Called with a row after each trial, by its place among the questions: from any thread, one call
/// at a time.
using LargestSizeListener = std::function<void(std::size_t, const LargestSize&)>;

/// One row for each question, by doubling and bisection over the sizes that the axis can have. Each
/// size is planned, none is concluded from another. Planners are no monotone functions of the size:
/// a size beyond `next` may run again. If stopped, returns what is known. Usage error without such
/// an axis. Takes as long as planning some ten times for each question: off the GUI thread.
[[nodiscard]] base::Result<std::vector<LargestSize>>
largestSizes(const graph::ProgramPtr& recorded, const std::vector<SizeQuestion>& questions,
             base::Bytes budget, const allocator::AllocatorSettings& settings,
             const base::JobContext& job, const LargestSizeListener& listener = {});

/// The planners to compare: the chosen one; if that is auto, also each planner that it runs, as it
/// calls it, and none.
[[nodiscard]] std::vector<Choices> choicesByPlanner(const Choices& choices);

/// The chosen planner as on the command line: "rotor --ways on".
[[nodiscard]] std::string plannerCall(const Choices& choices);

} // namespace plimsoll::workspace
