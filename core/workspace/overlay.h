// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/compare/against_plan.h"
#include "core/evaluate/certify.h"
#include "core/workspace/planning.h"

#include <filesystem>
#include <memory>
#include <string>

namespace plimsoll::workspace {

/// A measured run over what was predicted for it; immutable.
struct MeasuredRun
{
    compare::MeasuredRun run;
    graph::Rounding rounding = graph::Rounding::Exact; ///< as the allocator does that was measured
    /// In that rounding, without a reserve.
    plan::EvaluationPtr predicted;
    compare::Comparison comparison;
    /// Measured live bytes, step by step as `predicted` has them; null: not known by op.
    timeline::TimelinePtr live;
};
using MeasuredRunPtr = std::shared_ptr<const MeasuredRun>;

/// What a measurement is laid over.
struct Prediction
{
    graph::ProgramPtr program;
    Sizes sizes;         ///< of `program`, in case that they aren't as recorded
    plan::Device device; ///< whose times it predicts
};

/// A measurement over a graph: what File > "Lay a measurement over the prediction" makes.
struct Overlay
{
    compare::Measurement measurement;
    std::string name;                           ///< of its file
    std::shared_ptr<const std::string> content; ///< of its file: what a session keeps
    Prediction over;                            ///< what `unplanned` is laid over
    MeasuredRunPtr unplanned;                   ///< never null
};
using OverlayPtr = std::shared_ptr<const Overlay>;

/// The content of a measurement file. Off the GUI thread.
[[nodiscard]] base::Result<std::string> readMeasurementFile(const std::filesystem::path& path,
                                                            const base::JobContext& job);

/// Lays a measurement over the step of a graph. One of another model or batch is an error of kind
/// File, a sentence that says what is different. Off the GUI thread.
[[nodiscard]] base::Result<OverlayPtr> attachMeasurement(const std::string& name,
                                                         std::string content,
                                                         const Prediction& over,
                                                         const base::JobContext& job);

/// The run of the measurement that ran under this plan, at the sizes that the plan is for; null:
/// none did. Some microseconds where none did, about an evaluation where one did.
[[nodiscard]] MeasuredRunPtr runUnder(const Overlay& overlay, const plan::VerifiedPlan& plan);

/// The runs of a measurement over what is planned.
struct AlignedRuns
{
    MeasuredRunPtr unplanned;   ///< null: the measurement is of other sizes
    MeasuredRunPtr planned;     ///< the second run; null: there is none, or of no plan known here
    plan::VerifiedPlanPtr plan; ///< that it ran under
};

/// Looks for the second run's plan among all of the frontier. About two evaluations: off the GUI
/// thread.
[[nodiscard]] base::Result<AlignedRuns> alignRuns(const Overlay& overlay, const Planned& planned,
                                                  const base::JobContext& job);

} // namespace plimsoll::workspace
