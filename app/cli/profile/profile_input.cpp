// SPDX-License-Identifier: Apache-2.0
#include "app/cli/profile/profile_input.h"

#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/memtrace/analysis/oddities.h"
#include "core/memtrace/build_timeline.h"
#include "core/memtrace/columns/column_file.h"
#include "core/memtrace/summary.h"
#include "core/session/session_store.h"
#include "core/waterfall/named_allocations.h"
#include "core/workspace/file_formats.h"
#include "core/workspace/profile/profile_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace plimsoll::cli {

namespace {

using base::ErrorKind;
using memtrace::EventIndex;

template <typename Value>
std::optional<Value> parsed(std::string_view text)
{
    Value value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value}
                                                                    : std::nullopt;
}

std::size_t stepAfter(const memtrace::DeviceTrace& device, std::uint64_t recorded)
{
    if (recorded >= device.recordedCount())
        throw VerbError(ErrorKind::Usage,
                        fmt::format("There is no event {}: the device has {}, counted from 0.",
                                    recorded, base::counted(device.recordedCount(), "event")));
    const EventIndex event = device.eventAtRecorded(recorded);
    // After its first half, a free has not freed anything.
    const bool isHalf = device.shownIndex(event) != recorded;
    return event + std::size_t{isHalf ? 0U : 1U};
}

std::size_t peakStep(const memtrace::DeviceTrace& device)
{
    const std::int64_t event = memtrace::summaryOf(device).peakEvent;
    return event < 0 ? 0 : stepAfter(device, static_cast<std::uint64_t>(event));
}

bool isProfileDocument(const session::SavedDocument& document)
{
    return document.kind == workspace::kProfileDocument;
}

/// Also true where that can't be told: reading it then says why.
bool mayHoldProfile(const std::string& session)
{
    return session::SessionStore::open(session)
        .and_then([](const session::SessionStore& store) { return store.documents(); })
        .map([](const std::vector<session::SavedDocument>& documents) {
            return std::ranges::any_of(documents, isProfileDocument);
        })
        .value_or(true);
}

bool isSession(const std::string& file)
{
    return workspace::fileFormats().kindOf(file) == readers::FileKind::Session;
}

/// The only profile of a session.
session::SavedDocument savedProfile(const session::SessionStore& store, const std::string& file)
{
    std::optional<session::SavedDocument> profile;
    for (const session::SavedDocument& document : orThrow(store.documents())) {
        if (!isProfileDocument(document))
            continue;
        if (profile)
            throw VerbError(ErrorKind::File,
                            fmt::format("{}: the session holds several profiles; give the file of "
                                        "one of them.",
                                        io::pathText(file)));
        profile = document;
    }
    if (!profile)
        throw VerbError(ErrorKind::File,
                        fmt::format("{}: the session holds no memory profile (\"plimsoll-cli "
                                    "session show\" shows what it holds).",
                                    io::pathText(file)));
    return *std::move(profile);
}

readers::ReadProfile profileOf(const session::SessionStore& store,
                               const session::SavedDocument& profile, const std::string& file)
{
    auto content =
        std::make_shared<const std::string>(orThrow(store.blob(profile.id, session::kContent)));
    base::Result<memtrace::MemoryTracePtr> trace = memtrace::readColumns(std::move(content));
    if (!trace)
        throw VerbError(trace.error().kind,
                        fmt::format("{}: the session's copy of the profile is damaged: {}",
                                    io::pathText(file), trace.error().message));
    const std::int64_t version = orThrow(store.database().value("PRAGMA user_version"));
    return {*std::move(trace), "plimsoll-session", static_cast<int>(version), profile.contentHash};
}

} // namespace

std::optional<readers::FileKind> inputKind(const std::string& file)
{
    const std::optional<readers::FileKind> kind = workspace::fileFormats().kindOf(file);
    return kind == readers::FileKind::Session && mayHoldProfile(file) ? readers::FileKind::Profile
                                                                      : kind;
}

readers::ReadProfile readWholeProfile(const std::string& file, const Common& common)
{
    if (isSession(file)) {
        const session::SessionStore store = orThrow(session::SessionStore::open(file));
        return profileOf(store, savedProfile(store, file), file);
    }
    io::Source source{file};
    Watch watch{common.quiet ? std::string{} : "Reading " + source.name()};
    readers::FileValue value =
        orThrow(workspace::fileFormats().read(source, readers::FileKind::Profile, watch.context()));
    return std::get<readers::ReadProfile>(std::move(value));
}

NamedProfile readNamedProfile(const std::string& file, const Common& common)
{
    if (!isSession(file))
        return {readWholeProfile(file, common).trace, nullptr};
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(file)};
    const session::SessionStore store = orThrow(session::SessionStore::open(file));
    const session::SavedDocument saved = savedProfile(store, file);
    NamedProfile profile{profileOf(store, saved, file).trace,
                         orThrow(workspace::graphOfProfile(store, saved, watch.context()))};
    if (!profile.graph)
        return profile;
    const std::size_t device = memtrace::highestDevice(*profile.trace);
    // A graph of another model names nothing, as in the app.
    if (const auto names =
            workspace::namesFrom(*profile.graph, *profile.trace, device, watch.context()))
        profile.trace = waterfall::withNames(*profile.trace, device, **names);
    return profile;
}

memtrace::MemoryTracePtr readProfile(const std::string& file, const Common& common)
{
    return readNamedProfile(file, common).trace;
}

std::string notesText(const memtrace::MemoryTrace& trace)
{
    std::string text;
    for (const std::string& gap : trace.gaps())
        text += fmt::format("  note: {}\n", base::printable(gap));
    for (const auto& [name, count] : trace.statistics())
        if (memtrace::isOddity(name))
            text += oddityNote(name, count);
    return text;
}

std::string oddityNote(const std::string& name, std::size_t count)
{
    return fmt::format("  note: {} ({})\n", base::printable(memtrace::oddityText(name)), count);
}

const memtrace::DeviceTrace& deviceOf(const memtrace::MemoryTrace& trace,
                                      std::optional<int> ordinal)
{
    if (!ordinal)
        return trace.devices()[memtrace::highestDevice(trace)];
    for (const memtrace::DeviceTrace& device : trace.devices())
        if (device.ordinal() == *ordinal)
            return device;
    throw VerbError(
        ErrorKind::Usage,
        fmt::format("The recording has no device {} (\"inspect\" lists its devices).", *ordinal));
}

std::size_t stepAt(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
                   const std::string& at)
{
    if (at == "peak")
        return peakStep(device);
    if (at == "end")
        return device.eventCount();
    if (at == "oom") {
        if (device.outOfMemory().empty())
            throw VerbError(ErrorKind::Usage,
                            "No allocation failed in this recording; use --at peak.");
        return device.outOfMemory().back().event + std::size_t{1};
    }
    if (const auto event = parsed<std::uint64_t>(at))
        return stepAfter(device, *event);
    if (const auto time = base::parseTime(at)) {
        if (!trace.hasTimes())
            throw VerbError(ErrorKind::Usage,
                            "The recording has no times: --at takes peak, end, oom or the number "
                            "of an event.");
        return memtrace::stepAtTime(device, *time);
    }
    throw VerbError(ErrorKind::Usage,
                    fmt::format("--at takes peak, end, oom, the number of an event or a time such "
                                "as 12.5ms, not \"{}\".",
                                base::printable(at, 40)));
}

std::optional<std::int64_t> askedEvent(const std::string& at)
{
    return parsed<std::int64_t>(at);
}

std::optional<base::Nanoseconds> timeAt(const memtrace::MemoryTrace& trace,
                                        const memtrace::DeviceTrace& device, std::size_t step)
{
    return trace.hasTimes() ? std::optional{base::Nanoseconds{device.axisTimes()[step]}}
                            : std::nullopt;
}

ordered_json nsAt(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
                  std::size_t step)
{
    const std::optional<base::Nanoseconds> time = timeAt(trace, device, step);
    return time ? ordered_json(time->count()) : ordered_json{};
}

std::int64_t recordedEvent(const memtrace::DeviceTrace& device, std::size_t step)
{
    if (step == 0)
        return -1;
    return static_cast<std::int64_t>(
        device.shownIndex(static_cast<memtrace::EventIndex>(step - 1)));
}

} // namespace plimsoll::cli
