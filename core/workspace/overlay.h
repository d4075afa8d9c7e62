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

/// A measured run and its prediction; immutable.
struct MeasuredRun
{
    compare::MeasuredRun run;
    graph::Rounding rounding = graph::Rounding::Exact; ///< as in the measured allocator
    /// In that rounding, without a reserve.
    plan::EvaluationPtr predicted;
    compare::Comparison comparison;
    /// Measured live bytes, step by step as in `predicted`; null: not known by op.
    timeline::TimelinePtr live;
};
using MeasuredRunPtr = std::shared_ptr<const MeasuredRun>;

/// The prediction with which a measurement is compared.
struct Prediction
{
    graph::ProgramPtr program;
    Sizes sizes;         ///< of `program`, if they aren't as recorded
    plan::Device device; ///< the device that predicts times
};

/// A measurement laid over a graph: the result of File > "Overlay a Measurement".
struct Overlay
{
    compare::Measurement measurement;
    std::string name;                           ///< of its file
    std::shared_ptr<const std::string> content; ///< content of its file, which a session keeps
    Prediction over;                            ///< the prediction of `unplanned`
    MeasuredRunPtr unplanned;                   ///< never null
};
using OverlayPtr = std::shared_ptr<const Overlay>;

/// The content of a measurement file. Off the GUI thread.
[[nodiscard]] base::Result<std::string> readMeasurementFile(const std::filesystem::path& path,
                                                            const base::JobContext& job);

/// Lays a measurement over the step of a graph. A measurement of another model or batch is an error
/// of kind File, a sentence that says what differs. Off the GUI thread.
[[nodiscard]] base::Result<OverlayPtr> attachMeasurement(const std::string& name,
                                                         std::string content,
                                                         const Prediction& over,
                                                         const base::JobContext& job);

/// The run of the measurement under this plan, at the sizes of the plan; null if there is none,
/// which takes some microseconds; otherwise about one evaluation.
[[nodiscard]] MeasuredRunPtr runUnder(const Overlay& overlay, const plan::VerifiedPlan& plan);

/// The runs of a measurement over the planned step.
struct AlignedRuns
{
    MeasuredRunPtr unplanned; ///< null: the measurement has other sizes
    MeasuredRunPtr planned;   ///< the second run; null: there is none, or its plan isn't known here
    plan::VerifiedPlanPtr plan; ///< the plan of that run
};

/// Looks for the second run's plan in the frontier. About two evaluations: off the GUI thread.
[[nodiscard]] base::Result<AlignedRuns> alignRuns(const Overlay& overlay, const Planned& planned,
                                                  const base::JobContext& job);

} // namespace plimsoll::workspace
