// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile/planned_remedy.h"

#include "app/cli/graph_input.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/workspace/devices.h"
#include "core/workspace/planning.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::cli {

std::optional<doctor::Remedy>
plannedRemedy(const PlannedStep& step, const doctor::Diagnosis& diagnosis, const Common& common)
{
    workspace::Choices choices;
    choices.device = orThrow(workspace::chooseDevice(step.gpu));
    const readers::ReadProgram read = readGraph(step.graph, AtOption{}, common);
    Watch watch{common.quiet ? std::string{} : "Planning " + io::pathText(step.graph)};
    const workspace::PlannedPtr planned =
        orThrow(workspace::planGraph(read.program, choices, watch.context()));
    const plan::Evaluation& unplanned = planned->unplanned->evaluation();
    base::Bytes wanted; // none: the smallest peak
    if (diagnosis.missing)
        wanted = unplanned.peak - diagnosis.missing->value - diagnosis.missing->error;
    plan::FrontierPoint best = workspace::planAt(*planned, wanted);
    const bool suffices = best != nullptr;
    if (!suffices && !planned->frontier->points().empty())
        best = planned->frontier->points().front();
    if (!best || best->evaluation().peak >= unplanned.peak)
        return std::nullopt;
    const base::Bytes peak = best->evaluation().peak;
    const base::Nanoseconds time = unplanned.stepTime;
    const double longer = time.count() > 0
                              ? static_cast<double>((best->evaluation().stepTime - time).count())
                                    / static_cast<double>(time.count())
                              : 0;
    doctor::Remedy remedy;
    remedy.id = "plan";
    remedy.text = fmt::format(
        "Run the step with a plan that recomputes: its peak falls from {} to {}, verified on the "
        "graph, and it takes {:.1f} % longer: \"plimsoll-cli plan {} --budget {}\".",
        base::bytesText(unplanned.peak, base::Rounding::Up),
        base::bytesText(peak, base::Rounding::Up), 100 * longer, io::pathText(step.graph),
        peak.count());
    remedy.saves = unplanned.peak - peak;
    remedy.known = doctor::HowKnown::Plan;
    remedy.suffices = suffices && diagnosis.isFailure && diagnosis.missing;
    return remedy;
}

} // namespace plimsoll::cli
