// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parallel/rank_program.h"
#include "core/readers/registry.h"
#include "core/solve/registry.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// Of a graph that was traced at several sizes: the size by axis, of those that aren't as recorded.
using Sizes = std::map<std::string, std::int64_t>;

/// What the user chooses besides the budget; changing any of it plans anew.
struct Choices
{
    plan::Device device;
    base::Bytes reserve;
    graph::Rounding rounding = graph::Rounding::Cuda512;
    std::string planner{solve::kDefaultPlanner};
    solve::Options options;
    Sizes sizes;
    std::vector<std::string> pins = {};         ///< as plan::resolvePins() takes them
    std::optional<plan::DataParallel> parallel; ///< none: a process by itself

    bool operator==(const Choices&) const = default;
};

/// One graph planned for all budgets at once. Immutable; shared between threads.
struct Planned
{
    /// The step that was planned: the recorded one at the sizes chosen.
    [[nodiscard]] const graph::ProgramPtr& program() const { return unplanned->problem().step(); }
    /// The same as a process by itself runs it: what is measured.
    [[nodiscard]] const graph::ProgramPtr& recorded() const { return unplanned->problem().program; }

    Choices choices;
    plan::Problem problem;           ///< with an unlimited budget
    plan::VerifiedPlanPtr unplanned; ///< keeps everything, whatever budget and pins
    plan::FrontierPtr frontier;
    plan::PeakBound peakBound;
    base::Bytes smallestPeak; ///< least peak of any verified plan known
    base::Nanoseconds took;   ///< of planning, wall time; 0: it isn't over

    void setFrontier(plan::FrontierPtr known);
};

using PlannedPtr = std::shared_ptr<const Planned>;

/// The problem that the choices pose; the budget is the caller's. Usage error for pins that match
/// nothing or conflict.
[[nodiscard]] base::Result<plan::Problem> makeProblem(const graph::ProgramPtr& program,
                                                      const Choices& choices, base::Bytes budget);

/// The recorded step at other sizes; an error of kind Usage tells why the model can't be resized to
/// them. Some tenths of a second on large graphs: off the GUI thread.
[[nodiscard]] base::Result<graph::ProgramPtr>
programAt(const graph::ProgramPtr& recorded, const Sizes& sizes, const base::JobContext& job);

/// What is known before planning: the only plan of the frontier keeps everything; pins may forbid
/// that one, too.
[[nodiscard]] base::Result<Planned> unplannedStep(const graph::ProgramPtr& recorded,
                                                  const Choices& choices,
                                                  const base::JobContext& job);

/// Is given what is known so far while plans are being looked for: from any thread, one call at a
/// time.
using PlannedListener = std::function<void(PlannedPtr)>;

/// Plans a graph for all budgets. Runs for seconds on large graphs: off the GUI thread.
[[nodiscard]] base::Result<PlannedPtr> planGraph(const graph::ProgramPtr& recorded,
                                                 const Choices& choices,
                                                 const base::JobContext& job,
                                                 const PlannedListener& listener = {});

/// The answer at one budget, with bounds; some milliseconds.
[[nodiscard]] solve::Outcome answerAt(const Planned& planned, base::Bytes budget);

/// The fastest verified plan within the budget, null when none is known. Microseconds: what a frame
/// of a drag may call.
[[nodiscard]] plan::FrontierPoint planAt(const Planned& planned, base::Bytes budget);

} // namespace plimsoll::workspace
