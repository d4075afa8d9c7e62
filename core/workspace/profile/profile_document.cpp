// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/profile_document.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/memtrace/columns/column_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace plimsoll::workspace {

namespace {

using base::Result;
using nlohmann::json;

json filterState(const memtrace::Filter& filter)
{
    json state = json::array();
    for (const memtrace::FilterTerm& term : filter)
        state.push_back({{"field", memtrace::fieldName(term.field)}, {"value", term.value}});
    return state;
}

/// Terms that aren't ones are left out.
memtrace::Filter filterFrom(const json& state)
{
    memtrace::Filter filter;
    for (const json& row : state) {
        if (!row.is_object() || !row.contains("field") || !row.contains("value")
            || !row["field"].is_string() || !row["value"].is_string())
            continue;
        const auto field = memtrace::findField(row["field"].get<std::string>());
        memtrace::FilterTerm term{field.value_or(memtrace::FilterField::Class),
                                  row["value"].get<std::string>()};
        if (field && memtrace::checkTerm(term))
            filter.push_back(std::move(term));
    }
    return filter;
}

/// What another version or a damaged session doesn't tell stays as it is.
void readState(const std::string& text, ProfileDocument& document)
{
    const json state = json::parse(text, nullptr, false);
    if (!state.is_object())
        return;
    const auto textAt = [&](const char* key) {
        const auto at = state.find(key);
        return at != state.end() && at->is_string() ? at->get<std::string>() : std::string{};
    };
    if (const auto device = state.find("device"); device != state.end())
        if (device->is_number_integer())
            document.settings.device = device->get<int>();
    document.settings.axis =
        textAt("axis") == "events" ? memtrace::Axis::Events : memtrace::Axis::Time;
    document.settings.grouping =
        memtrace::findGrouping(textAt("grouping")).value_or(document.settings.grouping);
    document.settings.lower = findLowerPlot(textAt("lower")).value_or(document.settings.lower);
    if (const auto filter = state.find("filter"); filter != state.end())
        document.settings.filter = filterFrom(*filter);
    if (const auto alarm = state.find("alarm_bytes"); alarm != state.end())
        if (alarm->is_number_integer() && alarm->get<std::int64_t>() > 0)
            document.alarm = base::Bytes{alarm->get<std::int64_t>()};
    document.notesText = textAt("notes");
}

/// The graph of the model that a session's document has; a note where it can't be read.
void restoreGraph(const session::SessionStore& store, const session::SavedDocument& saved,
                  const base::JobContext& job, ProfileDocument& document)
{
    auto graph = graphOfProfile(store, saved, job);
    if (graph)
        document.settings.graph = *std::move(graph);
    else if (graph.error().kind != base::ErrorKind::Cancelled)
        document.notes.push_back(
            fmt::format("The graph of the model could not be restored ({}); use it again.",
                        graph.error().message));
}

Result<DocumentPtr> shown(std::unique_ptr<ProfileDocument> document, const base::JobContext& job)
{
    ASSIGN_OR_RETURN(document->first, profilePicture(document->trace, document->settings, job));
    document->settings = document->first->settings;
    return document;
}

} // namespace

std::string profileName(const std::filesystem::path& file)
{
    return base::printable((file.extension() == ".gz" ? file.stem() : file.filename()).string(),
                           80);
}

Result<std::shared_ptr<const ComparedStep>> graphOfProfile(const session::SessionStore& store,
                                                           const session::SavedDocument& saved,
                                                           const base::JobContext& job)
{
    const json state = json::parse(saved.state, nullptr, false);
    const auto at = state.is_object() ? state.find("graph_of_model") : state.end();
    if (!state.is_object() || at == state.end())
        return nullptr;
    ASSIGN_OR_RETURN(std::optional<ComparedStep> graph,
                     restoredStep(store, saved.id, at->dump(), job));
    return graph ? std::make_shared<const ComparedStep>(*std::move(graph)) : nullptr;
}

std::string ProfileDocument::state() const
{
    json state = {{"axis", settings.axis == memtrace::Axis::Events ? "events" : "time"},
                  {"grouping", memtrace::groupingName(settings.grouping)},
                  {"lower", lowerPlotName(settings.lower)},
                  {"filter", filterState(settings.filter)},
                  {"notes", notesText}};
    if (settings.device)
        state["device"] = *settings.device;
    if (settings.graph)
        state["graph_of_model"] = json::parse(stepState(*settings.graph));
    if (alarm)
        state["alarm_bytes"] = alarm->count();
    return state.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::unique_ptr<const Document> ProfileDocument::copy() const
{
    auto copy = std::make_unique<ProfileDocument>(*this);
    copy->pending.clear();
    return copy;
}

void ProfileDocument::take(const ProfileReading& reading)
{
    trace = reading.trace;
    first = reading.picture; // lets go of the trace that it was of
}

Result<void> ProfileDocument::store(session::SessionStore& store, session::DocumentId id) const
{
    if (settings.graph)
        RETURN_IF_ERROR(storeStep(*settings.graph, store, id));
    return store.saveBlob(id, session::kContent, memtrace::writeColumns(*trace));
}

DocumentKind profileDocuments()
{
    return {std::string{kProfileDocument},
            [](const readers::ReaderDescriptor& format) {
                return format.kind == readers::FileKind::Profile;
            },
            [](readers::FileValue value, io::Source& source,
               const base::JobContext& job) -> Result<DocumentPtr> {
                auto read = std::get<readers::ReadProfile>(std::move(value));
                auto document = std::make_unique<ProfileDocument>();
                document->m_path = source.path();
                document->m_name = profileName(source.path());
                document->m_contentHash = std::move(read.contentHash);
                document->trace = std::move(read.trace);
                // The bar has reached its end, and the rest takes a moment.
                return shown(std::move(document), {.stop = job.stop});
            },
            [](const session::SessionStore& store, const session::SavedDocument& saved,
               const base::JobContext& job) -> Result<DocumentPtr> {
                ASSIGN_OR_RETURN(std::string content, store.blob(saved.id, session::kContent));
                auto document = std::make_unique<ProfileDocument>();
                document->m_path = saved.sourcePath.empty() ? saved.name : saved.sourcePath;
                document->m_name = base::printable(saved.name, 80);
                document->m_contentHash = saved.contentHash;
                auto trace =
                    memtrace::readColumns(std::make_shared<const std::string>(std::move(content)));
                if (!trace)
                    return base::failure(
                        base::ErrorKind::File,
                        fmt::format("{}: the session's copy of the profile was damaged after it "
                                    "was saved ({}); open the profile's file instead.",
                                    document->m_name, trace.error().message));
                document->trace = *std::move(trace);
                readState(saved.state, *document);
                restoreGraph(store, saved, job, *document);
                return shown(std::move(document), job);
            }};
}

} // namespace plimsoll::workspace
