// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::readers::kineto {

/// What the reader uses of an event. Texts are valid until the next event is parsed.
struct TraceEvent
{
    char phase = '\0'; ///< "X": has a duration, "i": is at an instant, …
    std::string_view category;
    std::string_view name;
    std::string_view process; ///< as in the JSON, as the next: a number or a text
    std::string_view thread;
    std::optional<std::int64_t> beginNs;    ///< from the trace's base
    std::optional<std::int64_t> durationNs; ///< never negative

    // The arguments.
    std::optional<std::uint64_t> address;
    std::optional<std::int64_t> bytes;
    std::optional<std::int64_t> deviceType; ///< c10::DeviceType
    std::optional<std::int64_t> deviceId;
    std::optional<std::int64_t> device; ///< of what ran on a GPU
    std::optional<std::int64_t> allocatedBytes;
    std::optional<std::int64_t> reservedBytes;
    std::string_view calledFrom; ///< of Python functions: "file.py:12"
    std::string_view callStack;  ///< of operators, until torch 1.12: "file.py(12): f;…"

    // Those that tell which operator launched what, if they are taken.
    std::optional<std::int64_t> externalId;  ///< of an operator, and of what it launched
    std::optional<std::int64_t> correlation; ///< of a call, and of what it did on a GPU
    std::string shapes; ///< "64,8x64": of `Input Dims`, without scalars and lists of tensors

    std::size_t wrongValues = 0; ///< of another type, or out of range: left out
};

class EventParser
{
public:
    /// `takesLaunches`: of the arguments, those that tell which operator launched what; else those
    /// of memory and stacks.
    explicit EventParser(bool takesLaunches = false) : m_takesLaunches{takesLaunches} {}

    /// The event; nothing if the text isn't JSON. Requires readable bytes after the text.
    [[nodiscard]] std::optional<TraceEvent> parse(std::string_view text);

private:
    simdjson::ondemand::parser m_parser;
    bool m_takesLaunches;
};

} // namespace plimsoll::readers::kineto
