// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/plan/bound.h"
#include "core/plan/frontier.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// One option of a planner. Forms, command line, range checks and reports derive from it.
struct OptionRecord
{
    std::string name;     ///< "slots"
    std::string sentence; ///< what it does
    std::int64_t lower = 0;
    std::int64_t standard = 0; ///< the default
    std::int64_t upper = 0;
    std::vector<std::string> choices = {}; ///< names of the values from `lower` on; empty: numbers
    std::string label = {}; ///< for narrow forms, of those with choices: "Regions", of a switch
                            ///< what being on means: "Keep single results"
};

/// An option that is off (0, the default) or on (1).
[[nodiscard]] OptionRecord switchRecord(std::string name, std::string label, std::string sentence);
/// Whether a record is of that kind, so that a form needs no more than a box to check.
[[nodiscard]] bool isSwitch(const OptionRecord& record);

/// Values by option name; absent ones take their defaults.
using Options = std::map<std::string, std::int64_t>;

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
    plan::VerifiedPlanPtr best; ///< fastest within the budget; null: none
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
    /// returns what it has (at least the plan that keeps everything). The listener hears on the way
    /// what there is so far; planners that have nothing to show before they are done tell nothing.
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
/// The value of a choice's name; Usage error with the sentence otherwise.
[[nodiscard]] base::Result<std::int64_t> choiceValue(const OptionRecord& record,
                                                     const std::string& name);
/// A value as a plan or a user names it.
[[nodiscard]] std::string valueText(const OptionRecord& record, std::int64_t value);
/// The value given, else the record's default.
[[nodiscard]] std::int64_t optionValue(const PlannerDescriptor& descriptor, const Options& options,
                                       const std::string& name);

/// All options of the planner, defaults included, as a plan keeps them: sorted by name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
optionTexts(const PlannerDescriptor& descriptor, const Options& options);

/// The option "runtime": what executes the plan.
[[nodiscard]] OptionRecord runtimeRecord();
/// The same of a planner whose plans nothing but plimsoll.compile_step executes.
[[nodiscard]] OptionRecord stepRuntimeRecord();
/// Its value.
[[nodiscard]] plan::Runtime runtimeOf(const PlannerDescriptor& descriptor, const Options& options);

/// The option "granularity": between what regions lie.
[[nodiscard]] OptionRecord granularityRecord();

/// The switch "saved-sets": whether regions keep single results.
[[nodiscard]] OptionRecord savedSetsRecord();

/// The switch "freeze-stats": whether recomputations leave running statistics alone.
[[nodiscard]] OptionRecord freezeStatsRecord();
/// Its value.
[[nodiscard]] bool freezesStats(const PlannerDescriptor& descriptor, const Options& options);

/// The runtime of a frontier's plans, which is one and the same.
[[nodiscard]] plan::Runtime runtimeOf(const plan::Frontier& frontier);

/// Reads the answer for the problem's budget off a frontier, with proven bounds. The same for every
/// planner.
[[nodiscard]] Outcome outcomeAt(const plan::Problem& problem, plan::FrontierPtr frontier);

} // namespace plimsoll::solve
