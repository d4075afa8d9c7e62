// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/step_times.h"
#include "core/device/workspaces.h"
#include "core/parallel/rank_program.h"
#include "core/readers/registry.h"
#include "core/run/choose_plan.h"
#include "core/solve/registry.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// For a graph that was traced at several sizes: the size by axis, of axes that aren't at their
/// recorded size.
using Sizes = std::map<std::string, std::int64_t>;

/// The sizes with another one for an axis.
[[nodiscard]] Sizes withSize(Sizes sizes, const graph::Axis& axis, std::int64_t size);

/// Times of a step's ops that a profile gave.
struct ProfiledTimes
{
    compare::StepTimesPtr times; ///< null: there are none
    Sizes sizes;                 ///< of the step that they are of

    bool operator==(const ProfiledTimes&) const = default;
};

/// The user's settings besides the budget; changing any of them requires new planning.
struct Choices
{
    plan::Device device;
    base::Bytes reserve;
    graph::Rounding rounding = graph::Rounding::Cuda512;
    std::string planner{solve::kDefaultPlanner};
    solve::Options options;
    Sizes sizes;
    std::vector<std::string> pins = {};         ///< as plan::resolvePins() takes them
    std::optional<plan::DataParallel> parallel; ///< none: a single process
    ProfiledTimes profiled = {};

    /// The times to plan with; null: all times are modelled, since no profile was chosen, or one of
    /// other sizes.
    [[nodiscard]] compare::StepTimesPtr times() const
    {
        return profiled.sizes == sizes ? profiled.times : nullptr;
    }
    bool operator==(const Choices&) const = default;
};

/// One graph planned for all budgets at once. Immutable; shared between threads.
struct Planned
{
    /// The planned step: the recorded one at the chosen sizes.
    [[nodiscard]] const graph::ProgramPtr& program() const { return unplanned->problem().step(); }
    /// The same for a single process: what is measured.
    [[nodiscard]] const graph::ProgramPtr& recorded() const { return unplanned->problem().program; }

    Choices choices;
    plan::Problem problem;           ///< with an unlimited budget
    plan::VerifiedPlanPtr unplanned; ///< keeps everything, whatever budget and pins say
    /// From this budget on the step runs without a plan, and without cache flushes by PyTorch's
    /// default settings.
    base::Bytes unplannedNeeds;
    plan::FrontierPtr frontier;
    plan::PeakBound peakBound;
    base::Bytes smallestPeak; ///< smallest peak of all known verified plans
    base::Nanoseconds took;   ///< wall time of planning; 0: not finished

    void setFrontier(plan::FrontierPtr known);
};

using PlannedPtr = std::shared_ptr<const Planned>;

/// What is kept free of the budget unless the user says otherwise: the workspaces of cuBLAS, of the
/// size that CUBLAS_WORKSPACE_CONFIG or the device gives them.
[[nodiscard]] plan::Workspaces reservedWorkspaces(const graph::Program& recorded,
                                                  const plan::Device& device);

/// Chooses another device. A reserve that is the default becomes that of the new device, as does
/// one that would leave nothing of its memory; so does the bandwidth between the devices.
void setDevice(Choices& choices, const graph::Program& recorded, plan::Device device);

/// The problem that the settings define; the budget is set by the caller. Usage error for pins that
/// match nothing or conflict.
[[nodiscard]] base::Result<plan::Problem> makeProblem(const graph::ProgramPtr& program,
                                                      const Choices& choices, base::Bytes budget);

/// The recorded step at other sizes; an error of kind Usage says why the model can't be resized to
/// them. Some tenths of a second on large graphs: off the GUI thread.
[[nodiscard]] base::Result<graph::ProgramPtr>
programAt(const graph::ProgramPtr& recorded, const Sizes& sizes, const base::JobContext& job);

/// The step that the settings define, for a single process: at their sizes, with their times.
[[nodiscard]] base::Result<graph::ProgramPtr>
stepOf(const graph::ProgramPtr& recorded, const Choices& choices, const base::JobContext& job);

/// What is known before planning: a frontier with the plan that keeps everything, unless pins
/// forbid it.
[[nodiscard]] base::Result<Planned> unplannedStep(const graph::ProgramPtr& recorded,
                                                  const Choices& choices,
                                                  const base::JobContext& job);

/// The same with the bound of the planner's runtime: what planning begins with.
[[nodiscard]] base::Result<Planned>
boundedStep(const graph::ProgramPtr& recorded, const Choices& choices, const base::JobContext& job);

/// Called with intermediate results while planning runs: from any thread, one call at a time.
using PlannedListener = std::function<void(PlannedPtr)>;

/// Plans a graph for all budgets. Runs for seconds on large graphs: off the GUI thread.
[[nodiscard]] base::Result<PlannedPtr> planGraph(const graph::ProgramPtr& recorded,
                                                 const Choices& choices,
                                                 const base::JobContext& job,
                                                 const PlannedListener& listener = {});

/// The answer at one budget: its best plan is the chosen one.
struct Answer
{
    solve::Outcome outcome; ///< with bounds
    run::PlanChoice choice;
};

/// Which plan to take so that it runs under the allocator's settings, as run::choosePlan(); of a
/// step for the CPU, the fastest within the budget. Milliseconds to seconds; cancelled if stopped.
[[nodiscard]] base::Result<Answer> answerAt(const Planned& planned, base::Bytes budget,
                                            const allocator::AllocatorSettings& settings,
                                            const base::JobContext& job,
                                            const run::ReservedTablePtr& known = nullptr);

/// The fastest verified plan within the budget, whether it runs or not; null if none is known.
/// Takes microseconds, so a frame of a drag may call it.
[[nodiscard]] plan::FrontierPoint planAt(const Planned& planned, base::Bytes budget);

} // namespace plimsoll::workspace
