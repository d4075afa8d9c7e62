// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/waterfall/waterfall_document.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/memtrace/columns/column_file.h"
#include "core/parallel/rank_program.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace plimsoll::workspace {

namespace {

using base::Result;
using nlohmann::json;

constexpr std::string_view kProfileBlob = "profile";

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
    ASSIGN_OR_RETURN(std::optional<ComparedStep> prediction,
                     restoredStep(store, saved.id, saved.state, job));
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
    json state = m_prediction ? json::parse(stepState(*m_prediction)) : json::object();
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
    if (m_prediction)
        RETURN_IF_ERROR(storeStep(*m_prediction, store, id));
    if (m_profile)
        RETURN_IF_ERROR(
            store.saveBlob(id, kProfileBlob, memtrace::writeColumns(*m_profile->trace)));
    return {};
}

Result<DocumentPtr> compareWithGraph(const PlanDocument& graph,
                                     std::optional<ComparedProfile> profile)
{
    ASSIGN_OR_RETURN(ComparedStep step, shownStep(graph));
    return std::make_unique<WaterfallDocument>(std::move(step), std::move(profile));
}

DocumentKind waterfallDocuments()
{
    return {std::string{kWaterfallDocument}, nullptr, {}, restoredWaterfall};
}

} // namespace plimsoll::workspace
