// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/builder.h"
#include "core/readers/kineto/names.h"
#include "core/readers/kineto/spans.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::readers::kineto {

/// A [memory] or [OutOfMemory] event of a GPU.
struct MemoryEvent
{
    static constexpr std::int64_t kUnknown = -1;

    std::int64_t time = 0; ///< nanoseconds from the trace's base
    std::uint64_t address = 0;
    std::int64_t bytes = 0;            ///< negative: freed
    std::int64_t allocated = kUnknown; ///< in total after the event, as the next
    std::int64_t reserved = kUnknown;
    std::uint32_t thread = 0;
    std::uint32_t stack = 0; ///< StackId
    std::int16_t device = 0;
    bool isFailure = false; ///< [OutOfMemory]
    bool hasAddress = false;
};

/// A range of the user's on a device, or, without one, of the program.
struct NamedRange
{
    std::int64_t begin = 0; ///< from the trace's base, as the next
    std::int64_t end = 0;
    std::uint32_t name = 0; ///< in Names
    std::optional<std::int16_t> device;
};

/// What is kept of a trace, in the order of the file.
struct Collected
{
    memtrace::Builder builder; ///< has the settings and faults
    Names names;
    std::vector<MemoryEvent> memory;
    std::vector<Span> spans;
    std::vector<NamedRange> ranges;
    std::int64_t baseNs = 0;           ///< since 1970
    std::size_t cpuEvents = 0;         ///< of memory
    base::CurveSoFar* curve = nullptr; ///< for the builder; null: it is complete, or not wanted
};

/// Makes a memory trace of it. Fails, with the end of a sentence, if there is nothing to show.
[[nodiscard]] base::Result<memtrace::MemoryTracePtr> traceOf(Collected&& collected,
                                                             const base::JobContext& context);

} // namespace plimsoll::readers::kineto
