// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/waterfall/waterfall_document.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"
#include "core/memtrace/columns/column_file.h"
#include "core/parallel/rank_program.h"
#include "core/plan_file/plan_json.h"
#include "core/workspace/devices.h"
#include "core/workspace/file_formats.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

namespace {

using base::Result;
using nlohmann::json;

constexpr std::string_view kGraphBlob = "graph";
constexpr std::string_view kProfileBlob = "profile";
constexpr std::string_view kPlanBlob = "plan";

std::string graphName(const std::filesystem::path& path)
{
    std::string name = path.filename().string();
    for (const std::string_view ending : {".gz", ".json", ".plimsoll"})
        if (name.size() > ending.size() && std::string_view{name}.ends_with(ending))
            name.erase(name.size() - ending.size());
    return base::printable(name, 80);
}

std::string textOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

base::Error damaged(const std::string& what)
{
    return {base::ErrorKind::File,
            what + ": the session's copy can't be read; compare the files again."};
}

/// From a file, or from a session's content.
Result<ComparedStep> stepFrom(io::Source source, const Sizes& sizes, plan::Device device,
                              const base::JobContext& job)
{
    ASSIGN_OR_RETURN(readers::ReadProgram read, readers::readProgram(source, job));
    ASSIGN_OR_RETURN(const auto content, source.whole(job));
    ComparedStep prediction;
    prediction.graph.path = source.path();
    prediction.graph.name = graphName(source.path());
    prediction.graph.content = std::shared_ptr<const std::string>{content, &content->bytes};
    prediction.graph.program = std::move(read.program);
    prediction.graph.contentHash = std::move(read.contentHash);
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
    problem->budget = plan::kUnlimited; // what was measured, whatever it was made for
    problem->pins.clear();
    Result<plan::VerifiedPlanPtr> verified = plan::certify(*problem, file->plan);
    if (!verified)
        return tl::unexpected{named(verified.error())};
    prediction.plan = plan::FrontierPoint{
        *verified, std::make_shared<const plan::Provenance>(std::move(file->provenance))};
    return prediction;
}

/// Of what is predicted, how much is found in the recording.
double foundShare(const waterfall::Waterfall& of)
{
    return static_cast<double>(of.match.found())
           / static_cast<double>(std::max<std::size_t>(1, of.match.predicted.size()));
}

Result<DocumentPtr> restoredWaterfall(const session::SessionStore& store,
                                      const session::SavedDocument& saved,
                                      const base::JobContext& job)
{
    const json state = json::parse(saved.state, nullptr, false);
    if (!state.is_object())
        return tl::unexpected{damaged(base::printable(saved.name, 80))};
    std::optional<ComparedStep> prediction;
    if (const std::string path = textOf(state, "graph"); !path.empty()) {
        ASSIGN_OR_RETURN(std::string content, store.blob(saved.id, kGraphBlob));
        Sizes sizes;
        if (const auto at = state.find("sizes"); at != state.end() && at->is_object())
            for (const auto& [axis, size] : at->items())
                if (size.is_number_integer())
                    sizes[axis] = size.get<std::int64_t>();
        const Result<plan::Device> device = plan::findDevice(textOf(state, "device"));
        ASSIGN_OR_RETURN(prediction, stepFrom(io::Source{path, std::move(content)}, sizes,
                                              device ? *device : plan::Device{}, job));
        if (state.value("is_planned", false)) {
            ASSIGN_OR_RETURN(const std::string text, store.blob(saved.id, kPlanBlob));
            ASSIGN_OR_RETURN(prediction, planned(*std::move(prediction), text, "The plan"));
            prediction->isPlanNamed = state.value("is_plan_named", true);
        }
    }
    std::optional<ComparedProfile> profile;
    if (const std::string name = textOf(state, "profile"); !name.empty()) {
        ASSIGN_OR_RETURN(std::string content, store.blob(saved.id, kProfileBlob));
        auto trace = memtrace::readColumns(std::make_shared<const std::string>(std::move(content)));
        if (!trace)
            return tl::unexpected{damaged(base::printable(name, 80))};
        profile = ComparedProfile{base::printable(name, 80), textOf(state, "profile_path"),
                                  textOf(state, "profile_hash"), *std::move(trace), 0};
        const auto device = state.find("profile_device");
        if (device != state.end() && device->is_number_unsigned()
            && device->get<std::size_t>() < profile->trace->devices().size())
            profile->device = device->get<std::size_t>();
    }
    return std::make_unique<WaterfallDocument>(std::move(prediction), std::move(profile));
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

Result<WaterfallPicturePtr> waterfallPicture(const ComparedStep& prediction,
                                             const ComparedProfile& profile,
                                             const base::JobContext& job)
{
    auto picture = std::make_shared<WaterfallPicture>();
    const waterfall::Measured measured{profile.trace, profile.device};
    Result<waterfall::WaterfallPtr> best = base::cancelled();
    if (prediction.plan)
        best = waterfall::buildWaterfall(plan::singleProcess(prediction.plan->problem()),
                                         prediction.plan->plan(), measured, job.piece(0, 4));
    picture->isPlanned = static_cast<bool>(prediction.plan);
    if (!prediction.plan || !prediction.isPlanNamed) {
        auto plain = waterfall::buildWaterfall(prediction.problem, plan::keepEverything(), measured,
                                               job.piece(1, 4));
        if (!best || (plain && foundShare(**plain) > foundShare(**best))) {
            best = std::move(plain);
            picture->isPlanned = false;
        }
    }
    ASSIGN_OR_RETURN(picture->waterfall, std::move(best));
    if (job.stopRequested())
        return base::cancelled();
    picture->curves = waterfall::alignCurves(*picture->waterfall, measured);
    job.report(1, 1);
    return WaterfallPicturePtr{std::move(picture)};
}

WaterfallDocument::WaterfallDocument(std::optional<ComparedStep> prediction,
                                     std::optional<ComparedProfile> profile)
{
    set(std::move(prediction), std::move(profile));
    if (m_prediction)
        m_contentHash += m_prediction->graph.contentHash + ' ';
    if (m_profile)
        m_contentHash += m_profile->contentHash + ' ';
    m_contentHash += "predicted"; // sessions have no documents without content
}

void WaterfallDocument::set(std::optional<ComparedStep> prediction,
                            std::optional<ComparedProfile> profile)
{
    m_prediction = std::move(prediction);
    m_profile = std::move(profile);
    m_name = m_prediction && m_profile ? m_prediction->graph.name + " and " + m_profile->name
             : m_prediction            ? m_prediction->graph.name
             : m_profile               ? m_profile->name
                                       : "Predicted and measured";
}

std::string WaterfallDocument::state() const
{
    json state = json::object();
    if (m_prediction) {
        state["graph"] = m_prediction->graph.path.string();
        state["sizes"] = m_prediction->sizes;
        state["device"] = m_prediction->problem.device.id;
        state["is_planned"] = static_cast<bool>(m_prediction->plan);
        state["is_plan_named"] = m_prediction->isPlanNamed;
    }
    if (m_profile) {
        state["profile"] = m_profile->name;
        state["profile_path"] = m_profile->path.string();
        state["profile_hash"] = m_profile->contentHash;
        state["profile_device"] = m_profile->device;
    }
    return state.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::unique_ptr<const Document> WaterfallDocument::copy() const
{
    auto copy = std::make_unique<WaterfallDocument>(*this);
    copy->pending.clear();
    return copy;
}

Result<void> WaterfallDocument::store(session::SessionStore& store, session::DocumentId id) const
{
    if (m_prediction) {
        RETURN_IF_ERROR(store.saveBlob(id, kGraphBlob, *m_prediction->graph.content));
        if (m_prediction->plan)
            RETURN_IF_ERROR(store.saveBlob(id, kPlanBlob, plan::writePlan(m_prediction->plan)));
    }
    if (m_profile)
        RETURN_IF_ERROR(
            store.saveBlob(id, kProfileBlob, memtrace::writeColumns(*m_profile->trace)));
    return {};
}

Result<DocumentPtr> compareWithGraph(const PlanDocument& graph,
                                     std::optional<ComparedProfile> profile)
{
    plan::FrontierPoint plan;
    if (graph.planned && graph.planned->choices == graph.choices)
        plan = planAt(*graph.planned, graph.budget);
    ASSIGN_OR_RETURN(ComparedStep step, comparedStep(graph, std::move(plan), {}));
    return std::make_unique<WaterfallDocument>(std::move(step), std::move(profile));
}

DocumentKind waterfallDocuments()
{
    return {std::string{kWaterfallDocument}, nullptr, {}, restoredWaterfall};
}

} // namespace plimsoll::workspace
