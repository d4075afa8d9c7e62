// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/writers/formats.h"
#include "core/writers/timeline_svg.h"

#include <fmt/format.h>

namespace plimsoll::writers {

std::string timelinePicture(const plan::FrontierPoint& plan)
{
    const plan::Problem& problem = plan->problem();
    const plan::Evaluation& evaluation = plan->evaluation();
    const graph::Program& program = *problem.step();
    return timelineSvg(
        {.title = program.header.model,
         .subject = "device memory over one step",
         .facts = fmt::format("{} · {} · planner {} · step {}, of which recomputed {}",
                              program.header.batch, problem.device.name,
                              plan.provenance->asked.planner, base::timeText(evaluation.stepTime),
                              base::timeText(evaluation.recomputeTime)),
         .timeline = *evaluation.timeline,
         .layers = *timeline::categoryLayers(),
         .peakText =
             fmt::format("peak {} · {}", base::bytesText(evaluation.peak, base::Rounding::Up),
                         program.label(program.op(evaluation.peakOp))),
         .line = problem.budget,
         .lineText = "budget " + base::budgetText(problem.budget, evaluation.peak)});
}

} // namespace plimsoll::writers
