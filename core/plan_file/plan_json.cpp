// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json.h"

#include "core/base/unicode.h"
#include "core/plan/pins.h"
#include "core/plan_file/plan_json_detail.h"
#include "core/plan_file/plan_json_ops.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace plimsoll::plan {

namespace {

using nlohmann::ordered_json;

/// Entry `level` of the label of every op in the region, and below.
void labelOps(ordered_json& labels, const Region& region, std::size_t level)
{
    for (graph::OpIndex op = region.first; op <= region.last; ++op)
        labels[static_cast<std::size_t>(op)][level] = region.label;
    for (const Region& nested : region.nested)
        labelOps(labels, nested, level + 1);
}

/// Sorted by name: a plan that is read and written again gives the same bytes.
nlohmann::json optionsJson(const std::vector<std::pair<std::string, std::string>>& options)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, value] : options)
        json[name] = value;
    return json;
}

ordered_json graphJson(const graph::Program& program)
{
    return {{"model", program.header.model},         {"model_class", program.header.modelClass},
            {"torch", program.header.torch},         {"batch", program.header.batch},
            {"target", program.header.target},       {"ops", program.ops.size()},
            {"forward_ops", program.forwardCount()}, {"fingerprint", graph::fingerprint(program)}};
}

ordered_json evaluationJson(const VerifiedPlan& plan)
{
    const Evaluation& evaluation = plan.evaluation();
    const EvaluationPtr base = evaluate(plan.problem(), keepEverything());
    return {{"peak_bytes", evaluation.peak.count()},
            {"peak_op", evaluation.peakOp.index()},
            {"base_peak_bytes", base->peak.count()},
            {"step_time_ns", evaluation.stepTime.count()},
            {"base_step_time_ns", base->stepTime.count()},
            {"recompute_time_ns", evaluation.recomputeTime.count()}};
}

} // namespace

const char* runtimeName(Runtime runtime)
{
    return runtime == Runtime::CompiledStep ? "step" : "checkpoint";
}

const char* granularityName(Granularity granularity)
{
    return granularity == Granularity::Op ? "op" : "module";
}

ordered_json labelsJson(const graph::Program& program, const Plan& plan)
{
    ordered_json labels = ordered_json::array();
    if (plan.regions.empty())
        return labels;
    labels.get_ref<ordered_json::array_t&>().resize(program.forwardCount());
    const bool flat = std::all_of(plan.regions.begin(), plan.regions.end(),
                                  [](const Region& region) { return region.nested.empty(); });
    for (const Region& region : plan.regions) {
        const ordered_json blank =
            flat ? ordered_json(region.label)
                 : ordered_json(ordered_json::array_t(depthOf(region), ordered_json{}));
        for (graph::OpIndex op = region.first; op <= region.last; ++op)
            labels[static_cast<std::size_t>(op)] = blank;
        if (!flat)
            labelOps(labels, region, 0);
    }
    return labels;
}

ordered_json toJson(const FrontierPoint& point)
{
    const Problem& problem = point->problem();
    const Plan& plan = point->plan();
    const auto& [asked, maker] = *point.provenance;
    const graph::Program& program = *problem.program;
    ordered_json json = {{"format", detail::kPlanFormat},
                         {"version", detail::kPlanVersion},
                         {"runtime", runtimeName(plan.runtime)},
                         {"granularity", granularityName(plan.granularity)},
                         {"planner", asked.planner},
                         {"options", optionsJson(asked.options)},
                         {"graph", graphJson(program)},
                         {"device", problem.device.id},
                         {"budget_bytes", problem.budget.count()},
                         {"reserve_bytes", problem.reserve.count()},
                         {"rounding", graph::blockBytes(problem.rounding)},
                         {"evaluation", evaluationJson(*point)},
                         {"regions", regionsJson(program, plan)},
                         {"labels", labelsJson(program, plan)}};
    if (maker)
        json["made_by"] = {{"planner", maker->planner}, {"options", optionsJson(maker->options)}};
    for (const Pin& pin : problem.pins)
        json["pins"].push_back(pinText(pin));
    if (problem.parallel)
        json["data_parallel"] = dataParallelText(problem.parallel->setting);
    if (plan.freezeStats)
        json["freeze_stats"] = true;
    if (plan.runtime == Runtime::CompiledStep)
        json["schedule"] = scheduleJson(plan);
    if (speaksOfOps(plan))
        json["sequence"] = sequenceJson(program);
    return json;
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

} // namespace plimsoll::plan
