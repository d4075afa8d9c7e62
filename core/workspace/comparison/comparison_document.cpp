// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/comparison/comparison_document.h"

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

/// The blob with the columns of one of the profiles.
std::string blobName(std::size_t profile)
{
    return fmt::format("profile {}", profile);
}

std::string nameOf(const ComparedProfiles& profiles)
{
    switch (profiles.size()) {
    case 0: return "Comparison";
    case 1: return profiles[0].name;
    case 2: return profiles[0].name + " and " + profiles[1].name;
    default: return fmt::format("{} and {} more", profiles[0].name, profiles.size() - 1);
    }
}

std::string textAt(const json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

Result<ComparedProfile> storedProfile(const session::SessionStore& store, session::DocumentId id,
                                      std::size_t number, const json& row)
{
    ASSIGN_OR_RETURN(std::string content, store.blob(id, blobName(number)));
    ComparedProfile profile;
    profile.name = base::printable(textAt(row, "name"), 80);
    profile.path = textAt(row, "path");
    profile.contentHash = textAt(row, "content_hash");
    auto trace = memtrace::readColumns(std::make_shared<const std::string>(std::move(content)));
    if (!trace)
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{}: the session's copy of the profile was damaged after it was saved "
                        "({}); compare the profiles' files again.",
                        profile.name, trace.error().message));
    profile.trace = *std::move(trace);
    const auto device = row.find("device");
    if (device != row.end() && device->is_number_unsigned())
        profile.device = device->get<std::size_t>();
    if (profile.device >= profile.trace->devices().size())
        profile.device = 0;
    return profile;
}

Result<DocumentPtr> restoredComparison(const session::SessionStore& store,
                                       const session::SavedDocument& saved,
                                       const base::JobContext& job)
{
    const json state = json::parse(saved.state, nullptr, false);
    if (!state.is_object() || !state.contains("profiles") || !state["profiles"].is_array()
        || state["profiles"].size() > memtrace::kMostCompared)
        return base::failure(base::ErrorKind::File,
                             fmt::format("{}: the session doesn't tell which profiles were "
                                         "compared; compare their files again.",
                                         base::printable(saved.name, 80)));
    ComparedProfiles profiles;
    for (const json& row : state["profiles"]) {
        if (job.stopRequested())
            return base::cancelled();
        ASSIGN_OR_RETURN(ComparedProfile profile,
                         storedProfile(store, saved.id, profiles.size(),
                                       row.is_object() ? row : json::object()));
        profiles.push_back(std::move(profile));
    }
    auto document = std::make_unique<ComparisonDocument>(std::move(profiles));
    if (textAt(state, "axis") == "events")
        document->settings.axis = memtrace::Axis::Events;
    return document;
}

} // namespace

ComparisonDocument::ComparisonDocument(ComparedProfiles profiles)
{
    setProfiles(std::move(profiles));
    for (const ComparedProfile& profile : m_profiles)
        m_contentHash += profile.contentHash + ' ';
    m_contentHash += "compared"; // sessions have no documents without content
}

void ComparisonDocument::setProfiles(ComparedProfiles profiles)
{
    m_profiles = std::move(profiles);
    m_name = nameOf(m_profiles);
}

std::string ComparisonDocument::state() const
{
    json rows = json::array();
    for (const ComparedProfile& profile : m_profiles)
        rows.push_back({{"name", profile.name},
                        {"path", profile.path.string()},
                        {"content_hash", profile.contentHash},
                        {"device", profile.device}});
    const json state = {{"axis", settings.axis == memtrace::Axis::Events ? "events" : "time"},
                        {"profiles", std::move(rows)}};
    return state.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::unique_ptr<const Document> ComparisonDocument::copy() const
{
    auto copy = std::make_unique<ComparisonDocument>(*this);
    copy->pending.clear();
    return copy;
}

Result<void> ComparisonDocument::store(session::SessionStore& store, session::DocumentId id) const
{
    for (std::size_t number = 0; number < m_profiles.size(); ++number)
        RETURN_IF_ERROR(store.saveBlob(id, blobName(number),
                                       memtrace::writeColumns(*m_profiles[number].trace)));
    // What was removed since it was stored last.
    for (std::size_t number = m_profiles.size(); number < memtrace::kMostCompared; ++number)
        RETURN_IF_ERROR(store.removeBlob(id, blobName(number)));
    return {};
}

DocumentKind comparisonDocuments()
{
    return {std::string{kComparisonDocument}, nullptr, {}, restoredComparison};
}

} // namespace plimsoll::workspace
