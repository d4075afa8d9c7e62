// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/waterfall/compared_step.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/compare/belongs.h"
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"
#include "core/parallel/rank_program.h"
#include "core/plan_file/plan_json.h"
#include "core/readers/registry.h"
#include "core/workspace/devices.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace plimsoll::workspace {

namespace {

using base::Result;
using nlohmann::json;

constexpr std::string_view kGraphBlob = "graph";
constexpr std::string_view kPlanBlob = "plan";

/// From a file, or from a session's content.
Result<ComparedStep> stepFrom(io::Source source, const Sizes& sizes, plan::Device device,
                              const base::JobContext& job)
{
    ASSIGN_OR_RETURN(readers::ReadProgram read, readers::readProgram(source, job));
    ComparedStep prediction;
    ASSIGN_OR_RETURN(prediction.graph, openGraph(std::move(read), source, job));
    prediction.sizes = sizes;
    ASSIGN_OR_RETURN(prediction.problem.program, programAt(prediction.graph.program, sizes, job));
    prediction.problem.device = std::move(device);
    return prediction;
}

Result<ComparedStep> planned(ComparedStep prediction, const std::string& text,
                             const std::string& name)
{
    const auto named = [&](const base::Error& error) {
        return base::Error{error.kind, name + ": " + error.message};
    };
    Result<plan::PlanFile> file = plan::readPlan(text, *prediction.problem.program);
    if (!file)
        return tl::unexpected{named(file.error())};
    Result<plan::Problem> problem = plan::problemOf(*file, prediction.problem.program);
    if (!problem)
        return tl::unexpected{named(problem.error())};
    const std::string sizes = compare::otherSize(*file, *problem->step());
    if (prediction.sizes.empty() && !sizes.empty())
        return tl::unexpected{
            named({base::ErrorKind::File, sizes + "; use the graph that the plan was made for."})};
    problem->budget = plan::kUnlimited; // what was measured, whatever it was made for
    problem->pins.clear();
    Result<plan::VerifiedPlanPtr> verified = plan::certify(*problem, file->plan);
    if (!verified)
        return tl::unexpected{named(verified.error())};
    prediction.plan = plan::FrontierPoint{
        *verified, std::make_shared<const plan::Provenance>(std::move(file->provenance))};
    return prediction;
}

} // namespace

std::string ComparedStep::name(bool withPlan) const
{
    return plan && withPlan ? fmt::format("{} · {}", graph.name, plan->plan().planner) : graph.name;
}

Result<ComparedStep> comparedStep(const PlanDocument& document, plan::FrontierPoint plan,
                                  const base::JobContext& job)
{
    ComparedStep prediction;
    prediction.graph = document.graph;
    prediction.sizes = document.choices.sizes;
    prediction.problem.device = document.choices.device;
    ASSIGN_OR_RETURN(prediction.problem.program,
                     programAt(document.graph.program, prediction.sizes, job));
    if (plan && plan->plan().recomputesNothing())
        plan = {};
    prediction.plan = std::move(plan);
    return prediction;
}

Result<ComparedStep> shownStep(const PlanDocument& document)
{
    plan::FrontierPoint plan;
    if (document.planned && document.planned->choices == document.choices)
        plan = planAt(*document.planned, document.budget);
    return comparedStep(document, std::move(plan), {});
}

Result<ComparedStep> readComparedStep(const std::filesystem::path& path,
                                      const base::JobContext& job)
{
    ASSIGN_OR_RETURN(plan::Device device, chooseDevice(std::string{plan::kDefaultDevice}));
    return stepFrom(io::Source{path}, {}, std::move(device), job);
}

Result<ComparedStep> withPlan(ComparedStep prediction, const std::filesystem::path& plan,
                              const base::JobContext& job)
{
    io::Source source{plan};
    ASSIGN_OR_RETURN(const auto content, source.whole(job));
    prediction.isPlanNamed = true;
    return planned(std::move(prediction), content->bytes, source.name());
}

std::string stepState(const ComparedStep& prediction)
{
    const json state = {{"graph", prediction.graph.path.string()},
                        {"sizes", prediction.sizes},
                        {"device", prediction.problem.device.id},
                        {"is_planned", static_cast<bool>(prediction.plan)},
                        {"is_plan_named", prediction.isPlanNamed}};
    return state.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<void> storeStep(const ComparedStep& prediction, session::SessionStore& store,
                       session::DocumentId id)
{
    RETURN_IF_ERROR(store.saveBlob(id, kGraphBlob, *prediction.graph.content));
    if (prediction.plan)
        RETURN_IF_ERROR(store.saveBlob(id, kPlanBlob, plan::writePlan(prediction.plan)));
    return {};
}

Result<void> removeStep(session::SessionStore& store, session::DocumentId id)
{
    RETURN_IF_ERROR(store.removeBlob(id, kGraphBlob));
    return store.removeBlob(id, kPlanBlob);
}

Result<std::optional<ComparedStep>> restoredStep(const session::SessionStore& store,
                                                 session::DocumentId id, const std::string& text,
                                                 const base::JobContext& job)
{
    const auto textAt = [](const json& object, const char* key) {
        const auto at = object.find(key);
        return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
    };
    const auto isSet = [](const json& object, const char* key, bool otherwise) {
        const auto at = object.find(key);
        return at != object.end() && at->is_boolean() ? at->get<bool>() : otherwise;
    };
    const json state = json::parse(text, nullptr, false);
    const std::string path = state.is_object() ? textAt(state, "graph") : std::string{};
    if (path.empty())
        return std::nullopt;
    ASSIGN_OR_RETURN(std::string content, store.blob(id, kGraphBlob));
    Sizes sizes;
    if (const auto at = state.find("sizes"); at != state.end() && at->is_object())
        for (const auto& [axis, size] : at->items())
            if (size.is_number_integer())
                sizes[axis] = size.get<std::int64_t>();
    const Result<plan::Device> device = plan::findDevice(textAt(state, "device"));
    ASSIGN_OR_RETURN(ComparedStep prediction, stepFrom(io::Source{path, std::move(content)}, sizes,
                                                       device ? *device : plan::Device{}, job));
    if (isSet(state, "is_planned", false)) {
        ASSIGN_OR_RETURN(const std::string plan, store.blob(id, kPlanBlob));
        ASSIGN_OR_RETURN(prediction, planned(std::move(prediction), plan, "The plan"));
        prediction.isPlanNamed = isSet(state, "is_plan_named", true);
    }
    return prediction;
}

Result<waterfall::NamedAllocationsPtr> namesFrom(const ComparedStep& prediction,
                                                 const memtrace::MemoryTrace& trace,
                                                 std::size_t device, const base::JobContext& job)
{
    Result<waterfall::NamedAllocationsPtr> best = base::cancelled();
    if (prediction.plan)
        best = waterfall::nameAllocations(plan::singleProcess(prediction.plan->problem()),
                                          prediction.plan->plan(), trace, device, job.piece(0, 2));
    if (prediction.plan && prediction.isPlanNamed)
        return best;
    auto plain = waterfall::nameAllocations(prediction.problem, plan::keepEverything(), trace,
                                            device, job.piece(1, 2));
    // A step that ran without the plan has all that the plan doesn't recompute, too.
    const bool isPlainBetter = !best || (plain && (*plain)->known >= (*best)->known);
    return isPlainBetter ? std::move(plain) : std::move(best);
}

} // namespace plimsoll::workspace
