// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/evaluate/bound.h"
#include "core/evaluate/frontier.h"
#include "core/solve/api/option_record.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::solve {

struct PlannerDescriptor
{
    std::string id;       ///< "rotor"
    std::string name;     ///< "Rotor"
    std::string sentence; ///< what it does, for lists
    std::vector<OptionRecord> options;
    std::string source = {};                 ///< the paper or program that it follows: a sentence
    std::vector<std::string> leavesOut = {}; ///< sentences: what it doesn't look at or model
    bool explains = false;                   ///< Planner::explain() tells how its plans came about
};

/// A value that a planner chose to make again.
struct Pick
{
    graph::StorageId value;
    graph::OpId op; ///< that makes it
    base::Bytes bytes;
    base::Nanoseconds recomputeTime; ///< of making it again once, as the planner saw it then
    std::uint32_t times = 1;         ///< how often that was going to be needed
    double bytesPerNanosecond = 0;   ///< what it was chosen by; infinite without a time
    base::Bytes peak;                ///< of the step with it and all picks before it
};

enum class Status : std::uint8_t {
    Optimal,    ///< the step time equals a proven bound for the full graph
    Feasible,   ///< verified and within the budget
    Infeasible, ///< the budget is below a proven bound
    NotFound,   ///< nothing within the budget was found
};
/// "optimal", "feasible", "infeasible", "not_found".
[[nodiscard]] const char* statusName(Status status);

/// What a planner found for a problem.
struct Outcome
{
    Status status = Status::NotFound;
    plan::FrontierPoint best;   ///< fastest within the budget; empty: none
    plan::FrontierPtr frontier; ///< everything verified on the way, whatever the budget; never null
    plan::PeakBound peakBound;
    base::Nanoseconds timeBound; ///< no plan within the budget is faster
    bool stopped = false;        ///< the time was up before the search was over
};

/// Is told the frontier that a search has so far, whenever it got better: from any thread, one call
/// at a time. Nothing may be done in it that takes long.
using Listener = std::function<void(const plan::FrontierPtr&)>;

/// A way to find plans. Immutable; solve() may run in any thread.
class Planner
{
public:
    explicit Planner(PlannerDescriptor descriptor);
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;
    Planner(Planner&&) = delete;
    Planner& operator=(Planner&&) = delete;
    virtual ~Planner() = default;

    [[nodiscard]] const PlannerDescriptor& descriptor() const { return m_descriptor; }
    /// The whole trade-off between memory and time. Sizes, device, reserve are the problem's; its
    /// budget is ignored. Usage error of options that are not the planner's. Stopped early it
    /// returns what it has (at least the plan that keeps everything) within some 20 ms; asked to
    /// stop before it began, it takes its quick look, if it has one: always the same plans. The
    /// listener hears on the way what there is so far; planners that have nothing to show before
    /// they are done tell nothing.
    [[nodiscard]] base::Result<plan::FrontierPtr> frontier(const plan::Problem& problem,
                                                           const Options& options,
                                                           const base::JobContext& job,
                                                           const Listener& listener = {}) const;
    /// How a plan of this planner came about, in the order of choice. Usage error of planners that
    /// don't choose value by value; CheckFailed for a plan that this one does not make.
    [[nodiscard]] virtual base::Result<std::vector<Pick>>
    explain(const plan::VerifiedPlan& plan) const;

private:
    /// frontier() with options that are checked.
    [[nodiscard]] virtual base::Result<plan::FrontierPtr>
    search(const plan::Problem& problem, const Options& options, const base::JobContext& job,
           const Listener& listener) const = 0;

    PlannerDescriptor m_descriptor;
};

/// Checks values against the planner's records; Usage error with the sentence otherwise.
[[nodiscard]] base::Result<void> checkOptions(const PlannerDescriptor& descriptor,
                                              const Options& options);
/// The value given, else the record's default; 0 without a record.
[[nodiscard]] OptionValue chosenValue(const PlannerDescriptor& descriptor, const Options& options,
                                      const std::string& name);
/// The same of a number, a choice or a switch.
[[nodiscard]] std::int64_t optionValue(const PlannerDescriptor& descriptor, const Options& options,
                                       const std::string& name);

/// All options of the planner, defaults included, as a plan keeps them: sorted by name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
optionTexts(const PlannerDescriptor& descriptor, const Options& options);

/// What to ask for a plan of these options, as optionTexts() has them: the planner's id and what
/// differs from its defaults, as the command line takes it. "rotor --ways on".
[[nodiscard]] std::string callText(const PlannerDescriptor& descriptor,
                                   const std::vector<std::pair<std::string, std::string>>& options);

/// Usage error where ops are to be reordered for a runtime that runs them in the model's order.
[[nodiscard]] base::Result<void> takesReordering(const PlannerDescriptor& descriptor,
                                                 const Options& options);

/// What executes the plan: the value of the option "runtime".
[[nodiscard]] plan::Runtime runtimeOf(const PlannerDescriptor& descriptor, const Options& options);

/// The value of the switch "freeze-stats".
[[nodiscard]] bool freezesStats(const PlannerDescriptor& descriptor, const Options& options);

/// Reads the answer for the problem's budget off a frontier, with proven bounds. The same for every
/// planner.
[[nodiscard]] Outcome outcomeAt(const plan::Problem& problem, plan::FrontierPtr frontier);

} // namespace plimsoll::solve
