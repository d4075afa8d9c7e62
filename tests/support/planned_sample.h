// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/known_devices.h"
#include "core/workspace/composition.h"
#include "core/workspace/plan_document.h"

#include "tests/support/golden.h"

#include <string_view>
#include <utility>

namespace plimsoll::tests {

/// A shipped graph, opened and planned for the default device.
struct PlannedSample
{
    workspace::PlanDocument document;
    workspace::PlannedPtr first; ///< before it was planned
    workspace::PlannedPtr planned;
};

[[nodiscard]] inline workspace::Choices defaultChoices()
{
    workspace::Choices choices;
    choices.device = *plan::findDevice(plan::kDefaultDevice);
    return choices;
}

/// Opens a graph, or a session whose first document is one.
[[nodiscard]] inline base::Result<workspace::PlanDocument>
openPlan(const std::filesystem::path& path, const workspace::Choices& choices)
{
    base::Result<std::vector<workspace::DocumentPtr>> opened =
        workspace::openFile(path, workspace::documentKinds(choices), {});
    if (!opened)
        return tl::unexpected{opened.error()};
    return std::move(dynamic_cast<workspace::PlanDocument&>(*opened->front()));
}

/// The recorded step of a graph; null if it can't be opened.
[[nodiscard]] inline graph::ProgramPtr programOf(const std::filesystem::path& path)
{
    base::Result<workspace::PlanDocument> opened = openPlan(path, defaultChoices());
    return opened ? opened->graph.program : nullptr;
}

/// Opening and planning take a while in instrumented builds: once for each test program.
[[nodiscard]] inline base::Result<PlannedSample> planSample(std::string_view name,
                                                            base::Bytes reserve = {})
{
    workspace::Choices choices = defaultChoices();
    choices.reserve = reserve;
    base::Result<workspace::PlanDocument> opened = openPlan(samplePath(name), choices);
    if (!opened)
        return tl::unexpected{opened.error()};
    opened->choices.reserve = reserve; // the default is that of the document's graph
    base::Result<workspace::PlannedPtr> planned =
        workspace::planGraph(opened->graph.program, choices, {});
    if (!planned)
        return tl::unexpected{planned.error()};
    const workspace::PlannedPtr first = opened->first;
    return PlannedSample{*std::move(opened), first, *std::move(planned)};
}

} // namespace plimsoll::tests
