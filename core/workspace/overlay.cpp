// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/overlay.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/compare/belongs.h"
#include "core/parallel/rank_program.h"
#include "core/plan/plan_kinds.h"
#include "core/timeline/builder.h"
#include "core/workspace/file_formats.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::workspace {

namespace {

using base::ErrorKind;
using base::Result;

constexpr std::size_t kGaps = 20; ///< places that are listed

/// Bytes by step in the form that the timeline draws.
timeline::TimelinePtr liveOf(const compare::MeasuredRun& run)
{
    timeline::Builder builder{std::vector<base::Nanoseconds>(run.ops.size())};
    for (std::size_t begin = 0; begin < run.ops.size();) {
        std::size_t end = begin + 1;
        while (end < run.ops.size() && run.ops[end].live == run.ops[begin].live)
            ++end;
        builder.add({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - 1),
                     run.ops[begin].live, timeline::Category::Activations, 0});
        begin = end;
    }
    return std::move(builder).build();
}

MeasuredRunPtr laid(const compare::MeasuredRun& run, const compare::Measurement& measurement,
                    plan::Problem problem, const plan::Plan& plan)
{
    problem = plan::singleProcess(problem); // as measure() runs it
    problem.rounding = compare::roundingOf(measurement.backend);
    problem.reserve = {};
    MeasuredRun result;
    result.rounding = problem.rounding;
    result.run = run;
    result.predicted = plan::evaluate(problem, plan);
    result.comparison = compare::compareRun(run, problem, *result.predicted, kGaps);
    if (!compare::otherTimes(measurement, problem).empty())
        for (compare::Row& row : result.comparison.rows)
            if (row.unit == compare::Unit::Nanoseconds)
                row.predicted.reset(); // of another machine: a difference would be meaningless
    if (result.comparison.opsKnown && result.comparison.otherOps.empty())
        result.live = liveOf(run);
    return std::make_shared<const MeasuredRun>(std::move(result));
}

/// If the ops are unknown, use the peak given in the plan's file.
bool isOf(const compare::MeasuredRun& run, const plan::VerifiedPlan& plan)
{
    if (run.plan->runtime != plan::runtimeName(plan.plan().runtime()))
        return false;
    if (run.ops.empty())
        return run.plan->peak == plan.evaluation().peak;
    if (run.ops.size() != plan.evaluation().schedule->steps.size())
        return false;
    return compare::otherOps(run, *plan.problem().step(), *plan.evaluation().schedule).empty();
}

} // namespace

Result<std::string> readMeasurementFile(const std::filesystem::path& path,
                                        const base::JobContext& job)
{
    io::Source source{path};
    return fileFormats().read(source, readers::FileKind::Measurement, job).map([](auto value) {
        return std::get<readers::FileText>(value)->bytes;
    });
}

Result<OverlayPtr> attachMeasurement(const std::string& name, std::string content,
                                     const Prediction& over, const base::JobContext& job)
{
    Overlay overlay;
    ASSIGN_OR_RETURN(overlay.measurement, compare::readMeasurement(content));
    if (job.stopRequested())
        return base::cancelled();
    if (const std::string other = compare::otherStep(overlay.measurement, *over.program);
        !other.empty())
        return base::failure(ErrorKind::File, other);
    overlay.name = name;
    overlay.over = over;
    overlay.content = std::make_shared<const std::string>(std::move(content));
    plan::Problem problem;
    problem.program = over.program;
    problem.device = over.device;
    problem.budget = plan::kUnlimited;
    const compare::MeasuredRun& run = overlay.measurement.runs.front();
    overlay.unplanned = laid(run, overlay.measurement, std::move(problem), plan::keepEverything());
    if (const std::string other = compare::foreignSentence(run, overlay.unplanned->comparison);
        !other.empty())
        return base::failure(
            ErrorKind::File,
            fmt::format("It was measured on another step than this graph's (the measurement is of "
                        "\"{}\"). {}",
                        base::printable(overlay.measurement.model, 60), other));
    if (job.stopRequested())
        return base::cancelled();
    return std::make_shared<const Overlay>(std::move(overlay));
}

MeasuredRunPtr runUnder(const Overlay& overlay, const plan::VerifiedPlan& plan)
{
    const compare::Measurement& measurement = overlay.measurement;
    const bool isUnplanned = plan.plan().recomputesNothing();
    if (isUnplanned && plan.problem().device == overlay.over.device
        && plan.problem().program == overlay.over.program)
        return overlay.unplanned;
    if (!isUnplanned && (measurement.runs.size() < 2 || !isOf(measurement.runs[1], plan)))
        return nullptr;
    const compare::MeasuredRun& ran = measurement.runs[isUnplanned ? 0 : 1];
    MeasuredRunPtr run = laid(ran, measurement, plan.problem(), plan.plan());
    return compare::foreignSentence(ran, run->comparison).empty() ? run : nullptr;
}

Result<AlignedRuns> alignRuns(const Overlay& overlay, const Planned& planned,
                              const base::JobContext& job)
{
    AlignedRuns laid;
    laid.unplanned = runUnder(overlay, *planned.unplanned);
    if (overlay.measurement.runs.size() < 2)
        return laid;
    for (const plan::VerifiedPlanPtr& point : planned.frontier->candidates()) {
        if (job.stopRequested())
            return base::cancelled();
        if (point->plan().recomputesNothing())
            continue;
        laid.planned = runUnder(overlay, *point);
        if (laid.planned) {
            laid.plan = point;
            break;
        }
    }
    return laid;
}

} // namespace plimsoll::workspace
