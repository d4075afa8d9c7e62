// SPDX-License-Identifier: Apache-2.0
#include "app/cli/inspect/inspect_accesses.h"

#include "core/base/format.h"
#include "core/solve/remat/capuchin/access_profile.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace plimsoll::cli {

namespace {

/// Like base::timeText(), with a sign for waits.
std::string freeText(std::optional<base::Nanoseconds> time)
{
    if (!time)
        return "-";
    return base::timeText(base::Nanoseconds{std::abs(time->count())})
           + (time->count() < 0 ? " too short" : "");
}

ordered_json valueJson(const graph::Program& program, const solve::ValueAccess& value)
{
    const graph::OpIndex maker = program.storage(value.value).alloc;
    ordered_json swapFree; // null: the device has no link to the host
    if (value.swapFree)
        swapFree = value.swapFree->count();
    return {{"storage", value.value.index()},
            {"op", maker},
            {"module", program.modulePath(program.op(graph::opAt(maker)))},
            {"bytes", value.bytes.count()},
            {"first_forward_op", value.accesses.firstForward},
            {"last_forward_op", value.accesses.lastForward},
            {"first_backward_op", value.accesses.firstBackward},
            {"last_backward_op", value.accesses.lastBackward},
            {"swap_free_time_ns", std::move(swapFree)}};
}

std::string valueText(const graph::Program& program, const solve::ValueAccess& value)
{
    const graph::Op& maker = program.op(graph::opAt(program.storage(value.value).alloc));
    return fmt::format(
        "{:>12} {:>13} {:>13} {:>18}  {}\n", base::bytesText(value.bytes),
        fmt::format("{}-{}", value.accesses.firstForward, value.accesses.lastForward),
        fmt::format("{}-{}", value.accesses.firstBackward, value.accesses.lastBackward),
        freeText(value.swapFree), base::printable(program.label(maker)));
}

} // namespace

void addAccesses(Answer& answer, const plan::Problem& problem)
{
    const graph::Program& program = *problem.step();
    const solve::AccessProfile profile = solve::profileAccesses(problem).value(); // never cancelled
    ordered_json interval; // null: the step fits
    std::string over = "fits";
    if (profile.peakInterval) {
        const auto [first, last] = *profile.peakInterval;
        interval = {first.index(), last.index()};
        over = fmt::format("exceeded first by ops {}-{}", first.index(), last.index());
    }
    answer.text +=
        fmt::format("accesses on {}\n  before the step        {}\n  peak                   {}\n"
                    "  with all swapped out   {}\n  budget                 {}, {}\n",
                    problem.device.name, base::bytesText(profile.staticBytes),
                    base::bytesText(profile.maximumPeak, base::Rounding::Up),
                    base::bytesText(profile.minimumPeak, base::Rounding::Up),
                    base::bytesText(problem.budget), over);
    answer.text += fmt::format("{:>12} {:>13} {:>13} {:>18}  made by\n", "value", "forward",
                               "backward", "room to swap");
    ordered_json values = ordered_json::array();
    for (const solve::ValueAccess& value : profile.values) {
        values.push_back(valueJson(program, value));
        answer.text += valueText(program, value);
    }
    answer.json["accesses"] = {{"device", problem.device.id},
                               {"budget_bytes", problem.budget.count()},
                               {"static_bytes", profile.staticBytes.count()},
                               {"maximum_peak_bytes", profile.maximumPeak.count()},
                               {"minimum_peak_bytes", profile.minimumPeak.count()},
                               {"peak_interval", std::move(interval)},
                               {"values", std::move(values)}};
}

} // namespace plimsoll::cli
