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
    std::string sentence; ///< what it does, for lists
    std::vector<OptionRecord> options;
    std::string source = {};                 ///< the paper or program that it follows: a sentence
    std::vector<std::string> leavesOut = {}; ///< sentences: what it doesn't look at or model
    bool explains = false;                   ///< Planner::explain() tells how its plans came about
};

/// A value that a planner chose to recompute.
struct Pick
{
    graph::StorageId value;
    graph::OpId op; ///< that makes it
    base::Bytes bytes;
    base::Nanoseconds recomputeTime; ///< of recomputing it once, as the planner saw it then
    std::uint32_t times = 1;         ///< how often that was going to be needed
    double bytesPerNanosecond = 0;   ///< what it was chosen by; infinite without a time
    base::Bytes peak;                ///< of the step with it and all picks before it
};

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

/// Reads the chosen values. A planner derives the struct of its options, each of which it reads
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

/// What to ask for a plan of these options: the planner's id and what differs from its defaults, as
/// the command line takes it. "rotor --ways on".
[[nodiscard]] std::string callText(const PlannerDescriptor& descriptor,
                                   const std::vector<std::pair<std::string, std::string>>& options);

/// Usage error where an option is on that plans of the runtime asked for don't take.
[[nodiscard]] base::Result<void> checkRuntime(const PlannerDescriptor& descriptor,
                                              const Options& options);

/// What executes the plan: the value of the option "runtime".
[[nodiscard]] plan::Runtime runtimeOf(const PlannerDescriptor& descriptor, const Options& options);

/// Reads the answer for the problem's budget off a frontier, with proven bounds. The same for every
/// planner.
[[nodiscard]] Outcome outcomeAt(const plan::Problem& problem, plan::FrontierPtr frontier);

} // namespace plimsoll::solve
