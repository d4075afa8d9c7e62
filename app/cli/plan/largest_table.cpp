// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/fits_where.h"
#include "core/base/format.h"
#include "core/workspace/largest_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace plimsoll::cli {

namespace {

using workspace::LargestSize;
using workspace::SizeQuestion;
using workspace::SizeStatus;
using workspace::SizeTrial;

/// What was tried behind the largest size.
std::string nextText(const LargestSize& row)
{
    if (!row.isOver)
        return row.largest ? "stopped before all larger sizes were tried" : "not reached";
    if (!row.next)
        return "no larger size can be planned";
    const std::string at =
        fmt::format("{}, {}: ", row.largest ? "one step more" : "the smallest", row.next->size);
    switch (row.next->status) {
    case SizeStatus::Infeasible: return at + "none exists";
    case SizeStatus::Fails: return at + "none runs, as memory is fragmented";
    case SizeStatus::Refused: return at + base::printable(row.next->refusal);
    default: return at + "none found";
    }
}

std::string rowText(const LargestSize& row, const std::string& call)
{
    if (!row.largest)
        return fmt::format("  {:<44} {:>7}  {}\n", call, "-", nextText(row));
    const SizeTrial& at = *row.largest;
    return fmt::format(
        "  {:<44} {:>7}  peak {}, step {} ({}){}; {}\n", call, at.size,
        base::bytesText(at.plan->evaluation().peak, base::Rounding::Up),
        base::timeText(at.plan->evaluation().stepTime), slowdownText(at.plan, *at.unplanned),
        at.run == run::RunStatus::RunsWithFlushes ? ", empties cache" : "", nextText(row));
}

ordered_json rowJson(const LargestSize& row, const SizeQuestion& question)
{
    ordered_json json = {{"axis", question.axis},
                         {"asked", workspace::plannerCall(question.choices)},
                         {"size", nullptr}};
    if (row.largest)
        json["size"] = row.largest->size;
    const SizeTrial none;
    const SizeTrial& at = row.largest ? *row.largest : none;
    addPlan(json, at.plan, at.unplanned, at.run);
    json["planner"] = question.choices.planner;
    json["next_size"] = nullptr;
    json["next_status"] = row.isOver ? ordered_json{} : ordered_json(kNotReached);
    json["next_refusal"] = nullptr;
    if (row.isOver && row.next) {
        json["next_size"] = row.next->size;
        json["next_status"] = workspace::sizeStatusName(row.next->status);
        if (row.next->status == SizeStatus::Refused)
            json["next_refusal"] = row.next->refusal;
    }
    return json;
}

/// "batch (recorded at 4, 8, 16; larger ones are extrapolated)".
std::string axisText(const graph::Program& recorded, const std::string& name)
{
    const auto axis = std::ranges::find(recorded.vary->axes, name, &graph::Axis::name);
    return fmt::format("{} (recorded at {}; larger ones are extrapolated)\n", name,
                       fmt::join(axis->recorded, ", "));
}

} // namespace

Answer largestAnswer(const FitsRequest& request, const workspace::Choices& choices,
                     base::Bytes budget, const std::vector<std::string>& axes)
{
    std::vector<SizeQuestion> questions;
    for (const std::string& axis : axes)
        for (const workspace::Choices& each : workspace::choicesByPlanner(choices))
            questions.push_back({axis, each});
    Watch watch{request.quiet ? std::string{} : "Planning", request.timeLeft.seconds()};
    const auto tell = [&](std::size_t row, const LargestSize& known) {
        watch.tell(fmt::format("{}: {} {}", workspace::plannerCall(questions[row].choices),
                               questions[row].axis,
                               known.largest ? fmt::format("{}", known.largest->size) : "-"));
    };
    const std::vector<LargestSize> found = orThrow(workspace::largestSizes(
        request.recorded, questions, budget, request.settings, watch.context(), tell));
    Answer answer;
    std::size_t width = 0;
    for (const SizeQuestion& question : questions)
        width = std::max(width, workspace::plannerCall(question.choices).size());
    answer.text = fmt::format("largest sizes that run on {} within {}\n",
                              base::printable(choices.device.name), base::bytesText(budget));
    ordered_json rows = ordered_json::array();
    for (std::size_t row = 0; row < found.size(); ++row) {
        const SizeQuestion& question = questions[row];
        if (row == 0 || questions[row - 1].axis != question.axis)
            answer.text += axisText(*request.recorded, question.axis);
        answer.text += rowText(
            found[row], fmt::format("{:<{}}", workspace::plannerCall(question.choices), width));
        rows.push_back(rowJson(found[row], question));
    }
    const bool stopped = !std::ranges::all_of(found, &LargestSize::isOver);
    if (stopped)
        answer.text += "stopped early\n";
    const auto hasSize = [](const LargestSize& row) { return row.largest.has_value(); };
    if (std::ranges::none_of(found, hasSize)) {
        answer.exit = Exit::NoPlan;
        answer.error = stopped ? "The search was stopped early; no size was found yet that runs."
                               : "No plan was found that runs, not even at the smallest size.";
    }
    answer.json = {{"device", choices.device.id},
                   {"budget_bytes", budget.count()},
                   {"reserve_bytes", choices.reserve.count()},
                   {"largest", std::move(rows)},
                   {"settings", request.settingsText},
                   {"stopped", stopped}};
    return answer;
}

} // namespace plimsoll::cli
