// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan/evaluation_json.h"

#include "core/base/format.h"
#include "core/compare/step_times.h"
#include "core/lower/lower.h"
#include "core/plan/region_names.h"
#include "core/plan_file/plan_json.h"
#include "core/plan_file/plan_json_parts.h"
#include "core/workspace/planning.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace plimsoll::cli {

namespace {

constexpr std::array kMemoryKeys = {"packed_height_bytes", "packed_lower_bound_bytes",
                                    "reserved_bytes", "reserved_expandable_bytes"};

/// The tensor that names a recomputed storage: the op's output in it.
ordered_json tensorOf(const graph::Program& program, const plan::Recomputed& value)
{
    for (const graph::TensorId id : program.op(value.op).outputs)
        if (program.tensor(id).storage == value.storage)
            return id.index();
    return nullptr;
}

ordered_json recomputedJson(const graph::Program& program, const plan::Evaluation& evaluation)
{
    ordered_json rows = ordered_json::array();
    for (const plan::Recomputed& value : evaluation.recomputed) {
        const graph::Op& op = program.op(value.op);
        rows.push_back({{"tensor", tensorOf(program, value)},
                        {"op", value.op.index()},
                        {"module", program.modulePath(op)},
                        {"bytes", value.bytes.count()},
                        {"spared_bytes", value.spared.count()},
                        {"time_ns", value.time.count()},
                        {"target", program.targetOf(op)},
                        {"storage", value.storage.index()}});
    }
    return rows;
}

/// The bytes of the parameters, and the padded bytes that a collective transfers.
ordered_json unitJson(const plan::Problem& problem, const plan::ShardUnit& unit)
{
    ordered_json names = ordered_json::array();
    for (const std::size_t parameter : unit.parameters)
        names.push_back(problem.step()->parameters[parameter].name);
    return {{"module", unit.path},
            {"root", unit.isRoot},
            {"parameters", std::move(names)},
            {"gathered_bytes", unit.gathered.count()},
            {"shard_bytes", unit.gathered.count() / problem.parallel->setting.world},
            {"reduced_bytes", unit.reduced.count()}};
}

/// The process that the numbers describe and the cost of its reductions; null for a single process.
ordered_json dataParallelJson(const plan::Problem& problem, const plan::Evaluation& evaluation)
{
    if (!problem.parallel || !evaluation.communication)
        return nullptr;
    const plan::DataParallel& setting = problem.parallel->setting;
    const plan::Communication& spent = *evaluation.communication;
    ordered_json reductions = ordered_json::array();
    for (const plan::Reduction& row : spent.reductions)
        reductions.push_back({{"bytes", row.bytes.count()},
                              {"gradients", row.gradients},
                              {"ready_ns", row.ready.count()},
                              {"begin_ns", row.begin.count()},
                              {"end_ns", row.end.count()}});
    ordered_json buckets = ordered_json::array();
    for (const std::vector<std::size_t>& bucket : problem.parallel->buckets) {
        ordered_json names = ordered_json::array();
        for (const std::size_t member : bucket)
            names.push_back(
                problem.step()->parameters[problem.parallel->gradients[member].parameter].name);
        buckets.push_back(std::move(names));
    }
    ordered_json units = ordered_json::array();
    for (const plan::ShardUnit& unit : problem.parallel->units)
        units.push_back(unitJson(problem, unit));
    ordered_json gatherings = ordered_json::array();
    for (const plan::Gathering& row : spent.gatherings)
        gatherings.push_back({{"unit", problem.parallel->units[row.unit].path},
                              {"bytes", row.bytes.count()},
                              {"issued_ns", row.issued.count()},
                              {"begin_ns", row.begin.count()},
                              {"end_ns", row.end.count()},
                              {"wanted_ns", row.wanted.count()}});
    ordered_json json = {{"setting", plan::dataParallelText(setting)},
                         {"world", setting.world},
                         {"bucket_bytes", nullptr},
                         {"bus_bytes_per_s", setting.busBandwidth},
                         {"latency_ns", setting.latency.count()},
                         {"views", setting.views},
                         {"manual", setting.manual},
                         {"zero", setting.zero},
                         {"sync_time_ns", spent.sync.count()},
                         {"copy_time_ns", spent.copies.count()},
                         {"reduce_time_ns", spent.reduce.count()},
                         {"exposed_time_ns", spent.exposed.count()},
                         {"gather_time_ns", spent.gather.count()},
                         {"gather_exposed_time_ns", spent.gatherExposed.count()},
                         {"buckets", std::move(buckets)},
                         {"units", std::move(units)},
                         {"gatherings", std::move(gatherings)},
                         {"reductions", std::move(reductions)}};
    if (setting.bucket)
        json["bucket_bytes"] = setting.bucket->count();
    return json;
}

std::string reductionText(const plan::Parallel& parallel)
{
    if (parallel.setting.manual)
        return "reduced manually";
    return "in "
           + (parallel.setting.isSharded() ? base::counted(parallel.units.size(), "unit")
                                           : base::counted(parallel.buckets.size(), "bucket"));
}

std::string dataParallelText(const plan::Problem& problem, const plan::Evaluation& evaluation)
{
    std::string text;
    if (problem.parallel && evaluation.communication) {
        const plan::DataParallel& setting = problem.parallel->setting;
        const plan::Communication& spent = *evaluation.communication;
        base::Bytes bytes;
        for (const plan::ReducedGradient& gradient : problem.parallel->gradients)
            bytes += gradient.bytes;
        text += fmt::format("  parallel    one of {} processes: {} of gradients {}; the step waits "
                            "{} of the {} that "
                            "they take, and spends {} on copies and synchronization{}\n",
                            setting.world, base::bytesText(bytes), reductionText(*problem.parallel),
                            base::timeText(spent.exposed), base::timeText(spent.reduce),
                            base::timeText(spent.sync + spent.copies),
                            setting.zero > 0 ? fmt::format(
                                "; it waits {} of the {} that gathering ZeRO-{}'s parameters takes",
                                base::timeText(spent.gatherExposed), base::timeText(spent.gather),
                                setting.zero)
                                             : std::string{});
    }
    for (const std::string& sentence : evaluation.warnings)
        text += fmt::format("  warning     {}\n", sentence);
    return text;
}

std::size_t countRegions(const std::vector<plan::Region>& regions)
{
    std::size_t count = regions.size();
    for (const plan::Region& region : regions)
        count += countRegions(region.nested);
    return count;
}

/// The runtime, and how the plan is expressed if nested regions alone don't suffice.
const char* runtimeText(const plan::Plan& plan)
{
    const std::string_view form = plan::expressedAs(plan);
    if (form == "step")
        return plan.recomputesNothing()
                   ? "step: plimsoll.compile_step()"
                   : "step: plimsoll.compile_step(), with a recompute schedule";
    return form == "saved_sets" ? "checkpoint: plimsoll.apply(), with saved sets: regions that "
                                  "keep some of their results"
                                : "checkpoint: plimsoll.apply()";
}

/// Whose times a step has: "on A100 80GB SXM", "by measured times, and
/// estimates for A100 80GB SXM".
std::string timesText(const plan::Problem& problem)
{
    const compare::TimeShares shares = compare::timeShares(*problem.step(), problem.device);
    const std::string device = base::printable(problem.device.name, 60);
    if (shares.measured.count() == 0)
        return "on " + device;
    if (shares.modelled.count() == 0)
        return "by measured times";
    return "by measured times, and estimates for " + device;
}

} // namespace

double overheadPercent(const plan::Evaluation& evaluation, const plan::Evaluation& base)
{
    if (base.stepTime.count() == 0)
        return 0;
    return 100.0 * static_cast<double>((evaluation.stepTime - base.stepTime).count())
           / static_cast<double>(base.stepTime.count());
}

void addEvaluation(ordered_json& json, const plan::Problem& problem, const plan::Plan& plan,
                   const plan::Evaluation& evaluation, const plan::Evaluation& base)
{
    const graph::Program& program = *problem.step();
    json["runtime"] = plan::runtimeName(plan.runtime());
    json["granularity"] = plan::granularityName(plan.granularity());
    json["freeze_stats"] = plan.freezeStats();
    json["peak_bytes"] = evaluation.peak.count();
    json["peak_op"] = evaluation.peakOp.index();
    json["peak_op_name"] = program.ops.empty() ? "" : program.label(program.op(evaluation.peakOp));
    json["base_peak_bytes"] = base.peak.count();
    json["saved_for_backward_bytes"] =
        evaluation.schedule->saved ? nlohmann::ordered_json(evaluation.schedule->saved->count())
                                   : nullptr;
    json["step_time_ns"] = evaluation.stepTime.count();
    json["base_step_time_ns"] = base.stepTime.count();
    json["recompute_time_ns"] = evaluation.recomputeTime.count();
    json["transfer_time_ns"] = 0; // no runtime moves values to the host
    json["overhead_percent"] = number(overheadPercent(evaluation, base));
    json["recomputed"] = recomputedJson(program, evaluation);
    json["expressed_as"] = plan::expressedAs(plan);
    const std::string why = plan::whyNoRegions(program, plan, *evaluation.schedule);
    json["why_no_regions"] = why.empty() ? ordered_json(nullptr) : ordered_json(why);
    json["labels"] = plan::labelsJson(program, plan);
    json["regions"] = plan::regionsJson(program, plan);
    if (plan.isCompiledStep())
        json["schedule"] = plan::scheduleJson(plan);
    json["data_parallel"] = dataParallelJson(problem, evaluation);
    json["warnings"] = evaluation.warnings;
    json["not_modelled"] = evaluation.notModelled;
}

std::string reserveText(const plan::Problem& problem)
{
    return fmt::format("  reserve     {} ({})\n", base::bytesText(problem.reserve),
                       plan::reserveOrigin(problem.reserve, workspace::reservedWorkspaces(
                                                                *problem.program, problem.device)));
}

std::string evaluationText(const plan::Problem& problem, const plan::Plan& plan,
                           const plan::Evaluation& evaluation, const plan::Evaluation& base)
{
    const graph::Program& program = *problem.step();
    base::Bytes recomputed;
    base::Bytes spared;
    for (const plan::Recomputed& value : evaluation.recomputed) {
        recomputed += value.bytes;
        spared += value.spared;
    }
    std::string text = fmt::format("  runtime     {}\n", runtimeText(plan));
    if (const std::string why = plan::whyNoRegions(program, plan, *evaluation.schedule);
        !why.empty())
        text += fmt::format("  no regions  {}\n", why);
    if (plan.freezeStats())
        text += "  statistics  frozen in recomputations: updated once, as without a plan\n";
    text += fmt::format(
        "  budget      {} ({})\n  peak        {} ({}), unplanned {} ({})\n",
        base::budgetText(problem.budget, evaluation.peak), base::exactBytesText(problem.budget),
        base::bytesText(evaluation.peak, base::Rounding::Up), base::exactBytesText(evaluation.peak),
        base::bytesText(base.peak, base::Rounding::Up), base::exactBytesText(base.peak));
    text += reserveText(problem);
    if (!program.ops.empty())
        text += fmt::format("  reached at  op {}, {}\n", evaluation.peakOp.index(),
                            base::printable(program.label(program.op(evaluation.peakOp))));
    text +=
        fmt::format("  step        {} {}, unplanned {} ({})\n", base::timeText(evaluation.stepTime),
                    timesText(problem), base::timeText(base.stepTime),
                    base::overheadText(1 + overheadPercent(evaluation, base) / 100));
    text += dataParallelText(problem, evaluation);
    for (const std::string& sentence : evaluation.notModelled)
        text += fmt::format("  left out    {}\n", sentence);
    text += fmt::format("  recomputed  {}, {} in {}; {} of them no longer kept for backward\n",
                        base::counted(evaluation.recomputed.size(), "value"),
                        base::bytesText(recomputed),
                        base::counted(plan.recomputeSteps().size() + countRegions(plan.regions()),
                                      plan::kindOf(plan.runtime()).unit),
                        base::bytesText(spared));
    for (const plan::Region& region : plan.regions()) {
        const auto [first, last] = plan::endsOf(program, region);
        text += fmt::format("    {}{}  ops {}-{}{}\n", base::printable(first, 60),
                            first != last ? " … " + base::printable(last, 60) : std::string{},
                            region.first, region.last,
                            region.nested.empty()
                                ? std::string{}
                                : fmt::format(", {} nested", countRegions(region.nested)));
    }
    return text;
}

void addMemory(ordered_json& json, const solve::PlanMemory& memory)
{
    const std::array values = {memory.packedHeight, memory.packedLowerBound, memory.reserved,
                               memory.reservedExpandable};
    for (std::size_t i = 0; i < values.size(); ++i)
        json[kMemoryKeys[i]] = values[i].count();
}

void addNoMemory(ordered_json& json)
{
    for (const char* key : kMemoryKeys)
        json[key] = nullptr;
}

std::string memoryText(const solve::PlanMemory& memory)
{
    const auto shown = [](base::Bytes bytes) { return base::bytesText(bytes, base::Rounding::Up); };
    return fmt::format("  packed      {} ({}), {}\n"
                       "  reserved    {} by PyTorch's allocator with default settings, {} with "
                       "expandable segments\n",
                       shown(memory.packedHeight), base::exactBytesText(memory.packedHeight),
                       memory.packedHeight == memory.packedLowerBound
                           ? std::string{"without gaps"}
                           : "at least " + shown(memory.packedLowerBound),
                       shown(memory.reserved), shown(memory.reservedExpandable));
}

} // namespace plimsoll::cli
