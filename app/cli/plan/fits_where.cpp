// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/fits_where.h"

#include "app/cli/plan/evaluation_json.h"
#include "core/base/format.h"
#include "core/device/known_devices.h"
#include "core/workspace/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace plimsoll::cli {

namespace {

using base::ErrorKind;

constexpr const char* kAll = "all";

std::vector<std::string> commaSeparated(const std::string& text)
{
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

} // namespace

void FitsOptions::addTo(CLI::App& command)
{
    command.add_option("--devices", m_devices,
                       "Instead of one plan, print a table: whether the step fits each of these "
                       "GPUs, how much slower it is there, and from which budget on it runs: "
                       "all, or ids and files separated by commas, such as rtx-4090,l4");
    command.add_option("--largest", m_largest,
                       "Instead of one plan, print a table: the largest size of an axis (batch, "
                       "sequence, or all) for which each planner has a plan that runs within the "
                       "budget, by default the memory of --device. Needs a graph that was traced "
                       "at several sizes");
}

void FitsOptions::check(const CLI::App& command) const
{
    const char* mine = isAboutDevices() ? "--devices" : "--largest";
    if (isAboutDevices() && m_largest)
        throw VerbError(ErrorKind::Usage, "--largest looks at one GPU: choose it by --device, "
                                          "without --devices.");
    for (const char* other : {"--frontier", "--flips", "--explain", "--export", "--prefer",
                              "--times", "--budget", "--device"}) {
        const std::string_view name{other};
        const bool isShared = !isAboutDevices() && (name == "--budget" || name == "--device");
        if (!isShared && command.count(other) > 0)
            throw VerbError(ErrorKind::Usage, fmt::format("{} has no effect on the table of {}: "
                                                          "leave one of them out.",
                                                          other, mine));
    }
}

std::vector<plan::Device> FitsOptions::devices() const
{
    if (m_devices == kAll)
        return plan::builtInDevices();
    std::vector<plan::Device> devices;
    for (const std::string& part : commaSeparated(*m_devices)) {
        if (part.find('=') != std::string::npos)
            throw VerbError(ErrorKind::Usage,
                            fmt::format("--devices takes ids and files, separated by commas, not "
                                        "\"{}\": write a GPU of your own into a file.",
                                        base::printable(part, 40)));
        devices.push_back(orThrow(workspace::chooseDevice(part)));
    }
    return devices;
}

std::vector<std::string> FitsOptions::axes(const graph::Program& recorded) const
{
    if (m_largest != kAll || !recorded.vary) // without axes, the search says so
        return commaSeparated(*m_largest);
    std::vector<std::string> names;
    for (const graph::Axis& axis : recorded.vary->axes)
        names.push_back(axis.name);
    return names;
}

void addPlan(ordered_json& row, const plan::FrontierPoint& plan,
             const plan::VerifiedPlanPtr& unplanned, const std::optional<run::RunStatus>& run)
{
    for (const char* key : {"run", "peak_bytes", "step_time_ns", "base_step_time_ns",
                            "overhead_percent", "planner", "call"})
        row[key] = nullptr;
    if (unplanned)
        row["base_step_time_ns"] = unplanned->evaluation().stepTime.count();
    if (!plan)
        return;
    if (run)
        row["run"] = run::runStatusName(*run);
    row["peak_bytes"] = plan->evaluation().peak.count();
    row["step_time_ns"] = plan->evaluation().stepTime.count();
    row["overhead_percent"] = number(overheadPercent(plan->evaluation(), unplanned->evaluation()));
    row["planner"] = plan.provenance->madeBy().planner;
    row["call"] = solve::makerCall(*plan.provenance);
}

std::string slowdownText(const plan::FrontierPoint& plan, const plan::VerifiedPlan& unplanned)
{
    return base::overheadText(1
                              + overheadPercent(plan->evaluation(), unplanned.evaluation()) / 100);
}

} // namespace plimsoll::cli
