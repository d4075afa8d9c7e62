// SPDX-License-Identifier: Apache-2.0
#include "app/cli/diff/diff_waterfall.h"

#include "app/cli/profile/profile_input.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/waterfall/reasons.h"
#include "core/waterfall/waterfall.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::cli {

namespace {

using base::Bytes;
using waterfall::Reason;
using waterfall::Waterfall;
using waterfall::WaterfallRow;

std::optional<std::int64_t> countOf(const std::optional<Bytes>& bytes)
{
    return bytes ? std::optional{bytes->count()} : std::nullopt;
}

const char* fromName(waterfall::StepFrom from)
{
    switch (from) {
    case waterfall::StepFrom::Annotation: return "annotation";
    case waterfall::StepFrom::Phases: return "phases";
    case waterfall::StepFrom::Recording: break;
    }
    return "recording";
}

ordered_json placeJson(const Waterfall& found, std::size_t at)
{
    const plan::Schedule& schedule = *found.predicted.evaluation->schedule;
    if (at >= schedule.steps.size())
        return nullptr;
    const graph::Program& program = *found.predicted.problem.step();
    const plan::Step& step = schedule.steps[at];
    const graph::Op& op = program.op(step.op);
    return {{"step", at},
            {"op", step.op.index()},
            {"target", program.targetOf(op)},
            {"module", program.modulePath(op)},
            {"phase", graph::phaseName(schedule.phaseAt(program, at))},
            {"recomputed", step.region >= 0}};
}

ordered_json rowJson(const WaterfallRow& row)
{
    return {{"key", waterfall::reasonKey(row.reason)},
            {"bytes", row.bytes.count()},
            {"text", row.text},
            {"allocations", row.allocations},
            {"predicted", row.instances}};
}

ordered_json pairJson(const char* key, const std::string& name, std::optional<std::int64_t> first,
                      std::optional<std::int64_t> second)
{
    return {{key, name},
            {"predicted_bytes", orNull(first)},
            {"measured_bytes", orNull(second)},
            {"difference_bytes",
             orNull(first && second ? std::optional{*second - *first} : std::nullopt)}};
}

std::string className(const waterfall::ClassBytes& of)
{
    return of.category ? timeline::categoryLayers()->at(static_cast<std::size_t>(*of.category)).id
                       : "not_predicted";
}

ordered_json json(const Waterfall& found, const memtrace::DeviceTrace& device)
{
    ordered_json answer;
    answer["device"] = device.ordinal();
    answer["step"] = {{"from", fromName(found.window.from)},
                      {"name", found.window.name},
                      {"number", found.window.number},
                      {"count", found.window.count},
                      {"begin_event", device.recordedIndex(found.window.begin)},
                      {"end_event", found.window.end < device.eventCount()
                                        ? device.recordedIndex(found.window.end)
                                        : device.recordedCount()}};
    answer["matched"] = {{"predicted", found.match.predicted.size()},
                         {"measured", found.match.measured.size()},
                         {"found", found.match.found()}};
    answer["predicted_peak_bytes"] = found.predictedPeak.count();
    answer["predicted_at"] = placeJson(found, found.predicted.evaluation->peakStep);
    answer["measured_peak_bytes"] = found.measuredPeak.count();
    answer["measured_at"] = placeJson(found, found.place);
    answer["measured_event"] = device.recordedIndex(found.peakEvent);
    answer["allocated_peak_bytes"] = orNull(countOf(found.allocatedPeak));
    answer["reserved_peak_bytes"] = orNull(countOf(found.reservedPeak));
    answer["driver_peak_bytes"] = orNull(countOf(found.driverPeak));
    answer["not_explained_bytes"] = found.notExplained().count();
    answer["rows"] = ordered_json::array();
    for (const WaterfallRow& row : found.rows)
        answer["rows"].push_back(rowJson(row));
    answer["classes"] = ordered_json::array();
    for (const waterfall::ClassBytes& each : found.classes)
        answer["classes"].push_back(
            pairJson("class", className(each), each.predicted.count(), each.measured.count()));
    answer["phases"] = ordered_json::array();
    for (std::size_t phase = 0; phase < found.phases.size(); ++phase)
        answer["phases"].push_back(pairJson(
            "phase", graph::phaseName(static_cast<graph::Phase>(phase)),
            countOf(found.phases.at(phase).predicted), countOf(found.phases.at(phase).measured)));
    answer["notes"] = found.notes;
    return answer;
}

std::string signedText(Bytes bytes)
{
    return (bytes.count() > 0 ? "+" : "") + base::exactBytesText(bytes);
}

/// A total of the waterfall; the rows are indented below it.
std::string levelText(const char* name, Bytes bytes, const std::string& where)
{
    return fmt::format("{:<28}{:>18}  {}\n", name, base::exactBytesText(bytes), where);
}

std::string pairsText(const char* title, const ordered_json& pairs, const char* key)
{
    std::string text =
        fmt::format("  {:<26}{:>18}{:>18}{:>18}\n", title, "predicted", "measured", "difference");
    const auto cell = [](const ordered_json& value, bool isDifference) {
        if (value.is_null())
            return std::string{"-"};
        const Bytes bytes{value.get<std::int64_t>()};
        return isDifference ? signedText(bytes) : base::exactBytesText(bytes);
    };
    for (const ordered_json& pair : pairs)
        text +=
            fmt::format("  {:<26}{:>18}{:>18}{:>18}\n", pair[key].get<std::string>(),
                        cell(pair["predicted_bytes"], false), cell(pair["measured_bytes"], false),
                        cell(pair["difference_bytes"], true));
    return text;
}

std::string text(const Waterfall& found, const ordered_json& answer)
{
    std::string lines =
        levelText("Predicted peak", found.predictedPeak,
                  waterfall::placeText(found.predicted, found.predicted.evaluation->peakStep));
    for (const WaterfallRow& row : found.rows) {
        lines += fmt::format("  {:<26}{:>18}  {}\n", waterfall::reasonName(row.reason),
                             signedText(row.bytes), row.text);
        if (row.reason == Reason::NotExplained)
            lines += levelText("Measured peak", found.measuredPeak,
                               fmt::format("event {} of {}; {}",
                                           answer["measured_event"].get<std::uint64_t>(),
                                           found.window.text(),
                                           waterfall::placeText(found.predicted, found.place)));
        else if (row.reason == Reason::Rounding)
            lines += levelText("Allocated peak", *found.allocatedPeak,
                               found.isAllocatedEstimated
                                   ? "an estimate of torch.cuda.max_memory_allocated()"
                                   : "torch.cuda.max_memory_allocated() of this step");
        else if (row.reason == Reason::Fragmentation)
            lines += levelText("Reserved peak", *found.reservedPeak,
                               "torch.cuda.max_memory_reserved() of this step");
        else if (row.reason == Reason::Foreign)
            lines += levelText("Driver's peak", *found.driverPeak,
                               "with what others in the process hold");
    }
    lines += pairsText("peak by phase", answer["phases"], "phase");
    lines += pairsText("class at the peak", answer["classes"], "class");
    for (const std::string& note : found.notes)
        lines += "  " + note + "\n";
    return lines;
}

} // namespace

Answer diffWaterfall(WaterfallInput input, const Common& common)
{
    waterfall::Measured measured{readProfile(input.profile, common), 0};
    const memtrace::DeviceTrace& device = deviceOf(*measured.trace, input.ordinal);
    measured.device = static_cast<std::size_t>(&device - measured.trace->devices().data());
    Watch watch{common.quiet ? std::string{} : "Comparing"};
    auto found =
        waterfall::buildWaterfall(input.problem, input.decisions, measured, watch.context());
    if (!found)
        throw VerbError(found.error().kind,
                        found.error().kind == base::ErrorKind::Cancelled
                            ? found.error().message
                            : io::pathText(input.profile) + ": " + found.error().message);
    Answer answer;
    answer.json = {{"kind", "waterfall"}, {"graph", input.graph}, {"profile", input.profile}};
    answer.json["plan"] = input.plan.empty() ? ordered_json(nullptr) : ordered_json(input.plan);
    answer.json.update(json(**found, device));
    answer.text = text(**found, answer.json);
    return answer;
}

} // namespace plimsoll::cli
