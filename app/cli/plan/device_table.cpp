// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/fits_where.h"
#include "core/base/format.h"
#include "core/workspace/device_fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::cli {

namespace {

using workspace::DeviceFit;
using workspace::FitStatus;

/// Whether the step runs there, with or without a plan.
bool runs(const DeviceFit& fit)
{
    return fit.status == FitStatus::Unplanned || fit.status == FitStatus::Planned;
}

std::string runsText(const DeviceFit& fit)
{
    if (!fit.status)
        return "not reached";
    if (!runs(fit))
        return fit.status == FitStatus::Fails ? "no: out of memory" : "no";
    return fmt::format("{} a plan{}", fit.status == FitStatus::Planned ? "with" : "without",
                       fit.run == run::RunStatus::RunsWithFlushes ? ", empties cache" : "");
}

ordered_json rowJson(const DeviceFit& fit, base::Bytes reserve)
{
    ordered_json row = {{"device", fit.device.id},
                        {"name", fit.device.name},
                        {"memory_bytes", fit.device.memory.count()},
                        {"reserve_bytes", reserve.count()},
                        {"status", kNotReached},
                        {"fits_unplanned", nullptr},
                        {"complete", fit.isOver}};
    if (fit.status) {
        row["status"] = workspace::fitStatusName(*fit.status);
        row["fits_unplanned"] = fit.status == FitStatus::Unplanned;
    }
    addPlan(row, fit.plan, fit.unplanned, fit.run);
    row["least_budget_bytes"] = nullptr;
    if (fit.leastBudget)
        row["least_budget_bytes"] = fit.leastBudget->count();
    return row;
}

std::string tableText(const std::vector<DeviceFit>& fits)
{
    using Row = std::array<std::string, 6>;
    std::vector<Row> rows{{"device", "memory", "runs", "step", "slow-down", "least budget"}};
    for (const DeviceFit& fit : fits) {
        Row row{base::printable(fit.device.name.empty() ? fit.device.id : fit.device.name, 40),
                base::bytesText(fit.device.memory), runsText(fit)};
        std::fill(row.begin() + 3, row.end(), "-");
        if (runs(fit)) {
            row[3] = base::timeText(fit.plan->evaluation().stepTime);
            row[4] = slowdownText(fit.plan, *fit.unplanned);
        }
        if (fit.leastBudget)
            row[5] = base::bytesText(*fit.leastBudget, base::Rounding::Up);
        rows.push_back(std::move(row));
    }
    std::size_t width = 0;
    for (const Row& row : rows)
        width = std::max(width, row.front().size());
    std::string text;
    for (const Row& row : rows)
        text += fmt::format("{:<{}}  {:>10}  {:<28}  {:>9}  {:>9}  {:>12}\n", row[0], width, row[1],
                            row[2], row[3], row[4], row[5]);
    return text;
}

} // namespace

Answer devicesAnswer(const FitsRequest& request, const std::vector<workspace::Choices>& choices)
{
    Watch watch{request.quiet ? std::string{} : "Planning", request.timeLeft.seconds()};
    const auto tell = [&watch](std::size_t /*row*/, const DeviceFit& fit) {
        watch.tell(fmt::format("{}: {}", fit.device.name, runsText(fit)));
    };
    base::Result<std::vector<DeviceFit>> found =
        workspace::deviceFits(request.recorded, choices, request.settings, watch.context(), tell);
    // Even keeping everything fails its check: the options don't fit this graph.
    if (!found && found.error().kind == base::ErrorKind::CheckFailed)
        throw VerbError(base::ErrorKind::Usage, found.error().message);
    const std::vector<DeviceFit> fits = orThrow(std::move(found));
    Answer answer;
    ordered_json rows = ordered_json::array();
    for (std::size_t row = 0; row < fits.size(); ++row)
        rows.push_back(rowJson(fits[row], choices[row].reserve));
    answer.text = tableText(fits);
    const auto left = static_cast<std::size_t>(std::ranges::count(fits, false, &DeviceFit::isOver));
    if (left > 0)
        answer.text += fmt::format("stopped early: {} of {} not planned for\n", left,
                                   base::counted(fits.size(), "device"));
    if (std::ranges::none_of(fits, runs)) {
        answer.exit = Exit::NoPlan;
        answer.error = left > 0 ? "The search was stopped early; no device was found yet on which "
                                  "the step runs."
                                : "The step runs on none of these devices, with or without a plan.";
    }
    answer.json = {
        {"devices", std::move(rows)}, {"settings", request.settingsText}, {"stopped", left > 0}};
    return answer;
}

} // namespace plimsoll::cli
