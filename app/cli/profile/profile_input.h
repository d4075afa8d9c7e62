// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/memtrace/memory_trace.h"
#include "core/readers/descriptor.h"
#include "core/workspace/waterfall/compared_step.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace plimsoll::cli {

/// What verbs take a file for; none: unknown. A session that holds a memory profile is a profile,
/// as for readProfile().
[[nodiscard]] std::optional<readers::FileKind> inputKind(const std::string& file);

/// Reads a memory profile, or the only one of a session, with progress on a terminal. Throws
/// VerbError.
[[nodiscard]] readers::ReadProfile readWholeProfile(const std::string& file, const Common& common);
/// A profile and the graph of the model that its session keeps with it, if any.
struct NamedProfile
{
    memtrace::MemoryTracePtr trace;
    std::shared_ptr<const workspace::ComparedStep> graph;
};
/// The same, without what it was read from; allocations of the device with the highest peak have
/// the names that the graph gives.
[[nodiscard]] NamedProfile readNamedProfile(const std::string& file, const Common& common);
/// Its trace.
[[nodiscard]] memtrace::MemoryTracePtr readProfile(const std::string& file, const Common& common);

/// What the recording can't show and what is odd in its file, a line each; empty if there is
/// nothing.
[[nodiscard]] std::string notesText(const memtrace::MemoryTrace& trace);
/// One of MemoryTrace::statistics() as such a line.
[[nodiscard]] std::string oddityNote(const std::string& name, std::size_t count);

/// The device with that ordinal; none: the one with the highest peak. Throws VerbError.
[[nodiscard]] const memtrace::DeviceTrace& deviceOf(const memtrace::MemoryTrace& trace,
                                                    std::optional<int> ordinal);

/// The step of DeviceTrace::axisTimes() that "peak", "end", "oom", an event ("120") or a time since
/// the first event ("12.5ms", refused where the recording has no times) means. Throws VerbError.
[[nodiscard]] std::size_t stepAt(const memtrace::MemoryTrace& trace,
                                 const memtrace::DeviceTrace& device, const std::string& at);

/// The event that `at` names by its number; none: it names something else.
[[nodiscard]] std::optional<std::int64_t> askedEvent(const std::string& at);

/// The time since the first event of a step of DeviceTrace::axisTimes(); none where the recording
/// has no times.
[[nodiscard]] std::optional<base::Nanoseconds>
timeAt(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device, std::size_t step);
/// The same for JSON: "ns".
[[nodiscard]] ordered_json nsAt(const memtrace::MemoryTrace& trace,
                                const memtrace::DeviceTrace& device, std::size_t step);

/// What the recording's own count calls a step of DeviceTrace::axisTimes(): the event after which
/// it is; -1: before the first one.
[[nodiscard]] std::int64_t recordedEvent(const memtrace::DeviceTrace& device, std::size_t step);

} // namespace plimsoll::cli
