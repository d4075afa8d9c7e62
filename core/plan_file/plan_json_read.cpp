// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/base/unicode.h"
#include "core/device/known_devices.h"
#include "core/io/json_text.h"
#include "core/parallel/rank_program.h"
#include "core/plan/pins.h"
#include "core/plan_file/plan_json.h"
#include "core/plan_file/plan_json_detail.h"
#include "core/plan_file/plan_json_fields.h"
#include "core/plan_file/plan_json_ops.h"
#include "core/plan_file/plan_json_regions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <new>
#include <utility>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using base::printable;
using base::Result;
using detail::Fields;
using nlohmann::json;

constexpr const char* kAdvice = "export the plan anew";

Result<void> checkHeader(const json& root)
{
    Result<void> state;
    Fields fields{root, "", state};
    if (!state || fields.text("format") != detail::kPlanFormat || !state)
        return failure(ErrorKind::File,
                       R"(This is no plan file: its "format" is not "plimsoll-plan".)");
    const std::int64_t version = fields.integer("version");
    if (state && version > detail::kPlanVersion)
        return failure(ErrorKind::File,
                       fmt::format("The plan file has version {}, this program reads up to {}: "
                                   "take a newer Plimsoll.",
                                   version, detail::kPlanVersion));
    if (state && version < 1)
        fields.fail("version", "must be 1");
    if (!state)
        return tl::unexpected{detail::advised(state.error(), kAdvice)};
    return state;
}

/// One of two names; `plan` keeps its own where the key is missing and may be.
template <typename Choice>
void readChoice(Fields& fields, const char* key, Choice& choice, Choice other,
                const char* (*nameOf)(Choice))
{
    const std::string name = fields.text(key);
    if (name == nameOf(other))
        choice = other;
    else if (name != nameOf(choice))
        fields.fail(key, fmt::format(R"(must be "{}" or "{}")", nameOf(choice), nameOf(other)));
}

void readKind(Fields& fields, Plan& plan)
{
    readChoice(fields, "runtime", plan.runtime, Runtime::CompiledStep, runtimeName);
    if (fields.has("granularity")) // files of before it was written have no such key
        readChoice(fields, "granularity", plan.granularity, Granularity::Op, granularityName);
    if (!fields.has("freeze_stats"))
        return;
    const json& freezes = fields.at("freeze_stats");
    if (!freezes.is_boolean())
        fields.fail("freeze_stats", "must be true or false");
    else if (plan.runtime == Runtime::CompiledStep)
        fields.fail("freeze_stats", "belongs to plans for runtime \"checkpoint\" only, as runtime "
                                    "\"step\" never updates statistics again");
    else
        plan.freezeStats = freezes.get<bool>();
}

std::string otherGraph(const PlanFileInfo& info, const graph::Program& program)
{
    const bool sameSize =
        info.ops == program.ops.size() && info.forwardOps == program.forwardCount();
    return fmt::format("The plan was made for another graph: for \"{}\" with {} ({} in forward), "
                       "while this graph is \"{}\" with {} ({}){}; export the plan again from this "
                       "graph, or give the graph it was made from.",
                       printable(info.model, 60), base::counted(info.ops, "op"), info.forwardOps,
                       printable(program.header.model, 60), program.ops.size(),
                       program.forwardCount(), sameSize ? ", of which some are other ops" : "");
}

void readGraph(Fields fields, PlanFileInfo& info)
{
    info.model = fields.text("model");
    info.modelClass = fields.text("model_class");
    info.torch = fields.text("torch");
    info.batch = fields.text("batch");
    info.target = fields.text("target");
    info.ops = static_cast<std::size_t>(fields.integer("ops"));
    info.forwardOps = static_cast<std::size_t>(fields.integer("forward_ops"));
    info.fingerprint = fields.text("fingerprint");
}

bool isOfGraph(const PlanFileInfo& info, const graph::Program& program)
{
    return info.ops == program.ops.size() && info.forwardOps == program.forwardCount()
           && info.fingerprint == fingerprint(program);
}

void readEvaluation(Fields fields, PlanFileInfo& info)
{
    info.peak = base::Bytes{fields.integer("peak_bytes")};
    info.peakOp = static_cast<graph::OpIndex>(fields.integer("peak_op", detail::kMostOrdinal));
    info.basePeak = base::Bytes{fields.integer("base_peak_bytes")};
    info.stepTime = base::Nanoseconds{fields.integer("step_time_ns")};
    info.baseStepTime = base::Nanoseconds{fields.integer("base_step_time_ns")};
    info.recomputeTime = base::Nanoseconds{fields.integer("recompute_time_ns")};
}

PlannerCall readCall(Fields fields, Result<void>& state)
{
    PlannerCall call{fields.text("planner"), {}};
    const json& options = fields.at("options");
    if (!options.is_object())
        fields.fail("options", "must be an object of texts");
    for (const auto& [name, value] : options.items()) {
        if (!value.is_string())
            fields.fail("options", "must be an object of texts");
        if (!state)
            break;
        call.options.emplace_back(name, value.get<std::string>());
    }
    return call;
}

void readPins(Fields& fields, Result<void>& state, PlanFileInfo& info)
{
    if (!fields.has("pins"))
        return;
    const json& pins = fields.array("pins");
    for (std::size_t i = 0; i < pins.size() && state; ++i) {
        if (pins[i].is_string())
            info.pins.push_back(pins[i].get<std::string>());
        else
            detail::fail(state, fmt::format("pins[{}]", i), "must be a text");
    }
}

/// What was asked and what was evaluated then.
void readAsked(Fields& fields, Result<void>& state, PlanFile& file)
{
    readKind(fields, file.plan);
    file.provenance.asked = readCall(fields, state);
    if (fields.has("made_by"))
        file.provenance.maker = readCall({fields.at("made_by"), "made_by", state}, state);
    std::tie(file.plan.planner, file.plan.options) =
        std::tie(file.provenance.madeBy().planner, file.provenance.madeBy().options);
    file.info.device = fields.text("device");
    file.info.budget = base::Bytes{fields.integer("budget_bytes")};
    file.info.reserve = base::Bytes{fields.integer("reserve_bytes")};
    const std::int64_t rounding = fields.integer("rounding");
    if (state && rounding != 1 && rounding != graph::blockBytes(graph::Rounding::Cuda512))
        fields.fail("rounding", "must be 512 or 1");
    file.info.rounding = rounding == 1 ? graph::Rounding::Exact : graph::Rounding::Cuda512;
    readPins(fields, state, file.info);
    if (fields.has("data_parallel"))
        file.info.dataParallel = fields.text("data_parallel");
    readEvaluation(Fields{fields.at("evaluation"), "evaluation", state}, file.info);
}

std::size_t countRegions(const json& rows, const std::string& where, Result<void>& state)
{
    std::size_t count = rows.size();
    for (std::size_t i = 0; i < rows.size() && state; ++i) {
        Fields fields{rows[i], fmt::format("{}[{}]", where, i), state};
        count += countRegions(fields.array("nested"), fields.path("nested"), state);
    }
    return count;
}

/// Labels follow from the regions: a file in which they differ was edited by hand, or is damaged.
void checkLabels(const json& labels, const graph::Program& program, const Plan& plan,
                 Result<void>& state)
{
    const json expected = labelsJson(program, plan);
    if (labels.size() != expected.size()) {
        state =
            failure(ErrorKind::File,
                    fmt::format("labels has {}, but the regions make it {}.",
                                base::counted(labels.size(), "entry", "entries"), expected.size()));
        return;
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == expected[i] && !labels[i].is_number_float())
            continue;
        state = failure(ErrorKind::File,
                        fmt::format("labels[{}] is {}, but the regions make it {}.", i,
                                    detail::shown(labels[i]), detail::shown(expected[i])));
        return;
    }
}

} // namespace

bool looksLikePlan(std::string_view head)
{
    return base::fromFirstCharacter(head).starts_with('{')
           && head.find(fmt::format("\"{}\"", detail::kPlanFormat)) != std::string_view::npos;
}

Result<PlanFile> readPlan(std::string_view text, const graph::Program& program)
try {
    const Result<json> root = io::parseJson(text);
    if (!root)
        return tl::unexpected{root.error()};
    Result<void> state = checkHeader(*root);
    if (!state)
        return tl::unexpected{state.error()};

    PlanFile file;
    Fields fields{*root, "", state};
    readGraph(Fields{fields.at("graph"), "graph", state}, file.info);
    if (state && !isOfGraph(file.info, program))
        return failure(ErrorKind::File, otherGraph(file.info, program));
    readAsked(fields, state, file);
    file.plan.regions =
        detail::readRegions(fields.array("regions"), program, file.plan.granularity, state);
    const json& labels = fields.array("labels");
    if (state)
        checkLabels(labels, program, file.plan, state);
    detail::readOps(fields, program, state, file.plan);
    if (!state)
        return tl::unexpected{detail::advised(state.error(), kAdvice)};
    return file;
} catch (const std::bad_alloc&) {
    return io::tooLarge();
}

Result<PlanOutline> readPlanOutline(std::string_view text)
try {
    const Result<json> root = io::parseJson(text);
    if (!root)
        return tl::unexpected{root.error()};
    Result<void> state = checkHeader(*root);
    if (!state)
        return tl::unexpected{state.error()};

    PlanOutline outline;
    Fields fields{*root, "", state};
    readGraph(Fields{fields.at("graph"), "graph", state}, outline.file.info);
    readAsked(fields, state, outline.file);
    outline.regions = countRegions(fields.array("regions"), "regions", state);
    if (state && outline.file.plan.runtime == Runtime::CompiledStep)
        outline.places = Fields{fields.at("schedule"), "schedule", state}.array("again").size();
    if (!state)
        return tl::unexpected{detail::advised(state.error(), kAdvice)};
    return outline;
} catch (const std::bad_alloc&) {
    return io::tooLarge();
}

Result<Problem> problemOf(const PlanFile& file, graph::ProgramPtr program)
{
    Result<Device> device = findDevice(file.info.device);
    if (!device)
        return tl::unexpected{device.error()};
    Result<std::vector<Pin>> pins = resolvePins(file.info.pins, *program);
    if (!pins)
        return tl::unexpected{pins.error()};
    Problem problem{.program = std::move(program),
                    .device = *std::move(device),
                    .budget = file.info.budget,
                    .reserve = file.info.reserve,
                    .rounding = file.info.rounding,
                    .pins = *std::move(pins)};
    if (file.info.dataParallel.empty())
        return problem;
    const Result<DataParallel> setting = parseDataParallel(file.info.dataParallel, problem.device);
    return setting ? forRank(problem, *setting) : tl::unexpected{setting.error()};
}

} // namespace plimsoll::plan
