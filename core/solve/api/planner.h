// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/evaluate/bound.h"
#include "core/evaluate/frontier.h"
#include "core/solve/api/option_record.h"
#include "core/solve/api/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::solve {

struct PlannerDescriptor
{
    std::string id;       ///< "rotor"
    std::string name;     ///< "Rotor"
    std::string sentence; ///< what it does, for lists of planners
    std::vector<OptionRecord> options;
    std::string source = {}; ///< the paper or program on which it is based: a sentence
    std::vector<std::string> leavesOut = {}; ///< sentences: what it leaves out
    bool explains = false;                   ///< supports Planner::explain()
};

/// A value that a planner chose to recompute.
struct Pick
{
    graph::StorageId value;
    graph::OpId op; ///< that makes it
    base::Bytes bytes;
    base::Nanoseconds recomputeTime; ///< of recomputing it once, as estimated when it was chosen
    std::uint32_t times = 1;         ///< how many recomputations were expected
    double bytesPerNanosecond = 0;   ///< its score; infinite for values that take no time
    base::Bytes peak;                ///< of the step with it and all previous picks
};

/// A planner's result for a problem.
struct Outcome
{
    Status status = Status::NotFound;
    plan::FrontierPoint best;   ///< fastest within the budget; empty: none
    plan::FrontierPtr frontier; ///< all verified plans, whatever the budget; never null
    plan::PeakBound peakBound;
    base::Nanoseconds timeBound; ///< no plan within the budget is faster
    bool stopped = false;        ///< stopped before the search was over
};

/// Called with the current frontier of a search whenever it improves: from any thread, one call at
/// a time. Must return quickly.
using Listener = std::function<void(const plan::FrontierPtr&)>;

/// A planner. Immutable; solve() may run in any thread.
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
    /// The whole trade-off between memory and time. Sizes, device and reserve are the problem's;
    /// its budget is ignored. Usage error for options that the planner doesn't have. If stopped
    /// early, it returns what it has (at least the plan that keeps everything) within some 20 ms;
    /// if stopped before it began, it takes its quick look, if any, which always gives the same
    /// plans. The listener is called with intermediate results, if there are any.
    [[nodiscard]] base::Result<plan::FrontierPtr> frontier(const plan::Problem& problem,
                                                           const Options& options,
                                                           const base::JobContext& job,
                                                           const Listener& listener = {}) const;
    /// How a plan of this planner came about, in the order of choice. Usage error for planners that
    /// don't choose value by value; CheckFailed for a plan that this planner doesn't make.
    [[nodiscard]] virtual base::Result<std::vector<Pick>>
    explain(const plan::VerifiedPlan& plan) const;

private:
    /// frontier() with validated options.
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

/// Reads the chosen values. A planner derives the struct of its options, and reads each of them
/// once.
class OptionReader
{
public:
    OptionReader(const PlannerDescriptor& descriptor, const Options& options)
        : m_descriptor{descriptor}, m_options{options}
    {
    }

    /// A number, whether a switch is on, a text, or a choice as an enum, whose values are those of
    /// the record.
    template <typename T>
    [[nodiscard]] T get(const std::string& name) const
    {
        const OptionValue value = chosenValue(m_descriptor, m_options, name);
        if constexpr (std::is_same_v<T, std::string>)
            return std::get<std::string>(value);
        else
            return static_cast<T>(std::get<std::int64_t>(value));
    }

private:
    const PlannerDescriptor& m_descriptor;
    const Options& m_options;
};

/// The planner with all of its options, defaults included, sorted by name.
[[nodiscard]] plan::PlannerCall callOf(const PlannerDescriptor& descriptor, const Options& options);

/// The call that gives a plan of these options, as on the command line: the planner's id and the
/// options that differ from its defaults. "rotor --ways on".
[[nodiscard]] std::string callText(const PlannerDescriptor& descriptor,
                                   const std::vector<std::pair<std::string, std::string>>& options);

/// Usage error if an option is on that plans of the requested runtime don't support.
[[nodiscard]] base::Result<void> checkRuntime(const PlannerDescriptor& descriptor,
                                              const Options& options);

/// What executes the plan: the value of the option "runtime".
[[nodiscard]] plan::Runtime runtimeOf(const PlannerDescriptor& descriptor, const Options& options);

/// Looks the answer for the problem's budget up in a frontier, with proven bounds. The same for
/// every planner.
[[nodiscard]] Outcome outcomeAt(const plan::Problem& problem, plan::FrontierPtr frontier);
/// The same with another plan of the frontier, for the problem's budget, as the best one; empty:
/// there is none.
[[nodiscard]] Outcome outcomeWith(const plan::Problem& problem, plan::FrontierPtr frontier,
                                  plan::FrontierPoint best);

} // namespace plimsoll::solve
