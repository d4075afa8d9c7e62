// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/base/unicode.h"
#include "core/device/known_devices.h"
#include "core/io/json_text.h"
#include "core/parallel/rank_program.h"
#include "core/plan/pins.h"
#include "core/plan_file/plan_json_parts.h"

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
using detail::Field;
using detail::FieldWriter;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr auto kPlanFormat = "plimsoll-plan";
constexpr int kPlanVersion = 1;
constexpr const char* kAdvice = "export the plan again";

// The fields of a plan file, in its order (FORMAT.md). `Io` is Field, which reads them, or
// FieldWriter.

/// The first or the second choice, by name.
template <typename Io, typename Choice>
void choiceField(Io& io, const char* key, Choice& value, Choice first, Choice other,
                 const char* (*nameOf)(Choice))
{
    std::string name = nameOf(value);
    io.text(key, name);
    if (name != nameOf(first) && name != nameOf(other))
        io.fail(key, fmt::format(R"(must be "{}" or "{}")", nameOf(first), nameOf(other)));
    value = name == nameOf(other) ? other : first;
}

template <typename Io>
void kindFields(Io& io, Plan& plan)
{
    Runtime runtime = plan.runtime();
    choiceField(io, "runtime", runtime, Runtime::CheckpointedModule, Runtime::CompiledStep,
                runtimeName);
    Granularity granularity = plan.granularity();
    if (io.has("granularity")) // older files lack this key
        choiceField(io, "granularity", granularity, Granularity::Module, Granularity::Op,
                    granularityName);
    if (granularity != Granularity::Module && !kindOf(runtime).takesGranularity)
        io.fail("granularity", "must be \"module\" in a plan for runtime \"step\"");
    if (runtime == Runtime::CompiledStep)
        static_cast<void>(plan.asSchedule());
    else
        plan.asRegions().granularity = granularity;
}

template <typename Io>
void freezeField(Io& io, Plan& plan)
{
    bool freezes = plan.freezeStats();
    if (!io.has("freeze_stats", freezes))
        return;
    io.flag("freeze_stats", freezes);
    if (!kindOf(plan.runtime()).takesFreezeStats)
        io.fail("freeze_stats", "belongs to plans for runtime \"checkpoint\" only, as runtime "
                                "\"step\" never updates statistics twice");
    else
        plan.asRegions().freezeStats = freezes;
}

template <typename Io>
void callFields(Io& io, PlannerCall& call)
{
    io.text("planner", call.planner);
    io.texts("options", call.options);
}

template <typename Io>
void graphField(Io& io, PlanFileInfo& info)
{
    io.object("graph", [&info](auto& fields) {
        fields.text("model", info.model);
        fields.text("model_class", info.modelClass);
        fields.text("torch", info.torch);
        fields.text("batch", info.batch);
        fields.text("target", info.target);
        fields.whole("ops", info.ops);
        fields.whole("forward_ops", info.forwardOps);
        fields.text("fingerprint", info.fingerprint);
        if (fields.has("values", !info.values.empty()))
            fields.text("values", info.values);
    });
}

template <typename Io>
void problemFields(Io& io, PlanFileInfo& info)
{
    io.text("device", info.device);
    io.whole("budget_bytes", info.budget);
    io.whole("reserve_bytes", info.reserve);
    std::int64_t block = graph::blockBytes(info.rounding);
    io.whole("rounding", block);
    if (block != 1 && block != graph::blockBytes(graph::Rounding::Cuda512))
        io.fail("rounding", "must be 512 or 1");
    info.rounding = block == 1 ? graph::Rounding::Exact : graph::Rounding::Cuda512;
}

template <typename Io>
void evaluationField(Io& io, PlanFileInfo& info)
{
    io.object("evaluation", [&info](auto& fields) {
        fields.whole("peak_bytes", info.peak);
        fields.whole("peak_op", info.peakOp, detail::kMostOrdinal);
        fields.whole("base_peak_bytes", info.basePeak);
        fields.whole("step_time_ns", info.stepTime);
        fields.whole("base_step_time_ns", info.baseStepTime);
        fields.whole("recompute_time_ns", info.recomputeTime);
    });
}

/// `regions` reads or writes the keys "regions" and "labels".
template <typename Io, typename Regions>
void planFields(Io& io, PlanFile& file, const Regions& regions)
{
    Provenance& from = file.provenance;
    kindFields(io, file.plan);
    callFields(io, from.asked);
    graphField(io, file.info);
    problemFields(io, file.info);
    evaluationField(io, file.info);
    regions();
    if (io.has("made_by", from.maker.has_value()))
        io.object("made_by", [&from](auto& fields) {
            callFields(fields, from.maker ? *from.maker : from.maker.emplace());
        });
    if (io.has("pins", !file.info.pins.empty()))
        io.list("pins", file.info.pins);
    if (io.has("data_parallel", !file.info.dataParallel.empty()))
        io.text("data_parallel", file.info.dataParallel);
    freezeField(io, file.plan);
    file.plan.planner = from.madeBy().planner;
    file.plan.options = from.madeBy().options;
}

PlanFileInfo infoOf(const VerifiedPlan& plan)
{
    const Problem& problem = plan.problem();
    const graph::Program& program = *problem.step();
    const Evaluation& evaluation = plan.evaluation();
    const EvaluationPtr base = evaluate(problem, keepEverything());
    PlanFileInfo info{.model = program.header.model,
                      .modelClass = program.header.modelClass,
                      .torch = program.header.torch,
                      .batch = program.header.batch,
                      .target = program.header.target,
                      .ops = program.ops.size(),
                      .forwardOps = program.forwardCount(),
                      .fingerprint = graph::fingerprint(program),
                      .values = program.header.values,
                      .device = problem.device.id,
                      .budget = problem.budget,
                      .reserve = problem.reserve,
                      .rounding = problem.rounding,
                      .dataParallel =
                          problem.parallel ? dataParallelText(problem.parallel->setting) : "",
                      .peak = evaluation.peak,
                      .peakOp = static_cast<graph::OpIndex>(evaluation.peakOp.index()),
                      .basePeak = base->peak,
                      .stepTime = evaluation.stepTime,
                      .baseStepTime = base->stepTime,
                      .recomputeTime = evaluation.recomputeTime};
    for (const Pin& pin : problem.pins)
        info.pins.push_back(pinText(pin));
    return info;
}

Result<void> checkHeader(const json& root)
{
    Result<void> state;
    const Field fields{root, "", state};
    if (fields.at("format").text() != kPlanFormat || !state)
        return failure(ErrorKind::File,
                       R"(This is not a plan file: its "format" is not "plimsoll-plan".)");
    const std::int64_t version = fields.at("version").integer();
    if (version > kPlanVersion)
        return failure(
            ErrorKind::File,
            fmt::format(
                "The plan file has version {}, this program reads up to {}: update Plimsoll.",
                version, kPlanVersion));
    if (version < 1)
        fields.fail("version", "must be 1");
    return state ? state : tl::unexpected{detail::advised(state.error(), kAdvice)};
}

std::string otherGraph(const PlanFileInfo& info, const graph::Program& program)
{
    const bool sameSize =
        info.ops == program.ops.size() && info.forwardOps == program.forwardCount();
    return fmt::format("The plan was made for another graph: for \"{}\" with {} ({} in forward), "
                       "while this graph is \"{}\" with {} ({}){}; export the plan again from this "
                       "graph, or use the graph it was made from.",
                       printable(info.model, 60), base::counted(info.ops, "op"), info.forwardOps,
                       printable(program.header.model, 60), program.ops.size(),
                       program.forwardCount(), sameSize ? ", of which some are other ops" : "");
}

bool isOfGraph(const PlanFileInfo& info, const graph::Program& program)
{
    return info.ops == program.ops.size() && info.forwardOps == program.forwardCount()
           && info.fingerprint == fingerprint(program);
}

std::size_t countRegions(const Field& rows)
{
    std::size_t count = rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i)
        count += countRegions(rows[i].array("nested"));
    return count;
}

/// Reads or writes a plan file. `read` receives the file's object and the content to fill, and may
/// reject the file with an error of its own.
template <typename Content, typename Read>
Result<Content> parsed(std::string_view text, const Read& read)
try {
    ASSIGN_OR_RETURN(const json root, io::parseJson(text));
    RETURN_IF_ERROR(checkHeader(root));
    Content content;
    Result<void> state;
    RETURN_IF_ERROR(read(Field{root, "", state}, content));
    if (!state)
        return tl::unexpected{detail::advised(state.error(), kAdvice)};
    return content;
} catch (const std::bad_alloc&) {
    return io::tooLarge();
}

} // namespace

ordered_json toJson(const FrontierPoint& point)
{
    const graph::Program& program = *point->problem().step();
    PlanFile file{point->plan(), *point.provenance, infoOf(*point)};
    FieldWriter writer;
    writer.text("format", kPlanFormat);
    writer.whole("version", kPlanVersion);
    planFields(writer, file, [&] {
        writer.json["regions"] = regionsJson(program, file.plan);
        writer.json["labels"] = labelsJson(program, file.plan);
    });
    if (file.plan.isCompiledStep())
        writer.json["schedule"] = scheduleJson(file.plan);
    if (speaksOfOps(file.plan))
        writer.json["sequence"] = sequenceJson(program);
    return std::move(writer.json);
}

std::string writePlan(const FrontierPoint& point)
{
    std::string text = "{";
    const ordered_json object = toJson(point);
    for (const auto& [key, value] : object.items())
        text += fmt::format("{}\n \"{}\": {}", text.size() > 1 ? "," : "", key,
                            value.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    return base::escapeHidden(text + "\n}\n", base::Escapes::Json);
}

bool looksLikePlan(std::string_view head)
{
    return base::fromFirstCharacter(head).starts_with('{')
           && head.find(fmt::format("\"{}\"", kPlanFormat)) != std::string_view::npos;
}

Result<PlanFile> readPlan(std::string_view text, const graph::Program& program)
{
    return parsed<PlanFile>(text, [&](const Field& root, PlanFile& file) -> Result<void> {
        graphField(root, file.info); // don't trust a file for another graph
        if (root.isGood() && !isOfGraph(file.info, program))
            return failure(ErrorKind::File, otherGraph(file.info, program));
        planFields(root, file, [&] { readRegions(root, program, file.plan); });
        readOps(root, program, file.plan);
        return {};
    });
}

Result<PlanOutline> readPlanOutline(std::string_view text)
{
    return parsed<PlanOutline>(text, [](const Field& root, PlanOutline& outline) -> Result<void> {
        planFields(root, outline.file,
                   [&] { outline.regions = countRegions(root.array("regions")); });
        if (outline.file.plan.isCompiledStep())
            outline.places = root.at("schedule").array("again").size();
        return {};
    });
}

Result<Problem> problemOf(const PlanFile& file, graph::ProgramPtr program)
{
    ASSIGN_OR_RETURN(Device device, findDevice(file.info.device));
    ASSIGN_OR_RETURN(std::vector<Pin> pins, resolvePins(file.info.pins, *program));
    Problem problem{.program = std::move(program),
                    .device = std::move(device),
                    .budget = file.info.budget,
                    .reserve = file.info.reserve,
                    .rounding = file.info.rounding,
                    .pins = std::move(pins)};
    if (file.info.dataParallel.empty())
        return problem;
    const Result<DataParallel> setting = parseDataParallel(file.info.dataParallel, problem.device);
    return setting ? forRank(problem, *setting) : tl::unexpected{setting.error()};
}

} // namespace plimsoll::plan
