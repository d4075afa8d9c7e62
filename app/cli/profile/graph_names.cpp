// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile/graph_names.h"

#include "app/cli/watch.h"
#include "core/io/byte_source.h"
#include "core/workspace/waterfall/compared_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::cli {

void NamingGraph::addTo(CLI::App& command)
{
    command.add_option("--graph", graph,
                       "Traced step of the program: names what was allocated where the recording "
                       "agrees with it by order and size");
    command.add_option("--plan", plan, "Plan with which the step was recorded")->needs("--graph");
}

waterfall::NamedAllocationsPtr namesFromGraph(const NamingGraph& naming, const std::string& file,
                                              const memtrace::MemoryTrace& trace,
                                              std::size_t device, const Common& common)
{
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(naming.graph)};
    workspace::ComparedStep step =
        orThrow(workspace::readComparedStep(naming.graph, watch.context()));
    if (!naming.plan.empty())
        step = orThrow(workspace::withPlan(std::move(step), naming.plan, watch.context()));
    auto names = workspace::namesFrom(step, trace, device, watch.context());
    if (!names && names.error().kind == base::ErrorKind::Cancelled)
        throw VerbError(names.error().kind, names.error().message);
    if (!names)
        throw VerbError(
            names.error().kind,
            fmt::format("{}: {}{}", io::pathText(file), names.error().message,
                        naming.plan.empty() ? " If it ran with a plan, --plan names it." : ""));
    return *std::move(names);
}

ordered_json namesJson(const NamingGraph& naming, const waterfall::NamedAllocations& names)
{
    return {{"file", naming.graph},
            {"plan", naming.plan.empty() ? ordered_json(nullptr) : ordered_json(naming.plan)},
            {"steps", names.steps},
            {"agreeing_steps", names.agreeing},
            {"allocations", names.allocations},
            {"known", names.known}};
}

ordered_json knownJson(const memtrace::DeviceTrace& device, std::size_t step,
                       const waterfall::NamedAllocations& names)
{
    const auto& bytes = device.allocations().bytes;
    std::vector<std::uint32_t> live;
    for (std::uint32_t i = 0; i < bytes.size(); ++i)
        if (names.isKnown(i) && device.firstStep(i) <= step && device.lastStep(i) >= step)
            live.push_back(i);
    std::ranges::stable_sort(live, std::ranges::greater{},
                             [&](std::uint32_t allocation) { return bytes[allocation]; });
    ordered_json known = ordered_json::array();
    for (const std::uint32_t allocation : live) {
        const waterfall::ToldAllocation told = names.told(allocation);
        known.push_back(
            {{"allocation", allocation},
             {"alloc_event", device.recordedIndex(device.allocations().allocEvent[allocation])},
             {"bytes", bytes[allocation]},
             {"tensor", told.tensor},
             {"shape", told.shape},
             {"op", told.op},
             {"module", told.module},
             {"source", told.source.empty() ? ordered_json(nullptr) : ordered_json(told.source)},
             {"phase", told.phase},
             {"recomputed", told.isRecomputed},
             {"why", told.why}});
    }
    return known;
}

} // namespace plimsoll::cli
