// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile/planned_remedy.h"

#include "app/cli/graph_input.h"
#include "app/cli/watch.h"
#include "core/io/byte_source.h"
#include "core/workspace/devices.h"
#include "core/workspace/profile/planned_remedy.h"

namespace plimsoll::cli {

doctor::Remedy plannedRemedy(const PlannedStep& step, const doctor::Diagnosis& diagnosis,
                             const Common& common)
{
    const readers::ReadProgram read = readGraph(step.graph, AtOption{}, common);
    workspace::Choices choices;
    choices.device = orThrow(workspace::chooseDevice(step.gpu));
    choices.reserve = workspace::reservedWorkspaces(*read.program, choices.device).all();
    Watch watch{common.quiet ? std::string{} : "Planning " + io::pathText(step.graph)};
    return orThrow(workspace::plannedRemedy(read.program, choices, diagnosis,
                                            io::pathText(step.graph), watch.context()));
}

} // namespace plimsoll::cli
