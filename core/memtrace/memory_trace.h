// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_trace.h"
#include "core/memtrace/stack_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// A named range of time, such as a phase of a training step. Ranges nest.
struct Annotation
{
    std::string name;
    int device = 0;
    base::Nanoseconds begin; ///< from the trace's begin
    base::Nanoseconds end;   ///< of one that was never ended: the trace's end
    int depth = 0;           ///< 0: in no other range
};

/// What recordings of the driver's memory can't show of PyTorch's.
inline constexpr const char* kDriverBlocks = "Blocks are what the driver was asked for: of "
                                             "PyTorch's caching allocator its segments, and not "
                                             "the tensors within.";

/// What recordings say whose bytes are of blocks, and not as requested.
inline constexpr const char* kWholeBlocks = "Bytes are those of the allocator's blocks, which it "
                                            "rounds up; streams and pools were not recorded.";

/// What a MemoryTrace consists of.
struct TraceParts
{
    std::vector<DeviceTrace> devices;
    StackTable stacks;
    std::vector<Annotation> annotations;
    std::map<std::string, std::string> settings;
    std::map<std::string, std::size_t> statistics;
    std::vector<std::string> gaps;
    bool isOfDriver = false;
    bool hasTimes = true;
    std::int64_t epochNs = 0;
    base::Nanoseconds duration;
};

/// What a process did with memory, as some recording tells it: one value for all formats of
/// profiles. Immutable; made by Builder.
class MemoryTrace
{
public:
    explicit MemoryTrace(TraceParts parts) : m_parts{std::move(parts)} {}

    /// By ordinal, pinned host memory last; at least one.
    [[nodiscard]] const std::vector<DeviceTrace>& devices() const { return m_parts.devices; }
    [[nodiscard]] const StackTable& stacks() const { return m_parts.stacks; }
    /// Sorted by begin, outer ranges first.
    [[nodiscard]] const std::vector<Annotation>& annotations() const { return m_parts.annotations; }
    /// The allocator's settings as recorded, by name.
    [[nodiscard]] const std::map<std::string, std::string>& settings() const
    {
        return m_parts.settings;
    }
    /// The model of a GPU, "NVIDIA H100 80GB HBM3"; empty: not recorded.
    [[nodiscard]] std::string deviceName(int ordinal) const
    {
        const auto named = m_parts.settings.find("device " + std::to_string(ordinal));
        return named == m_parts.settings.end() ? std::string{} : named->second;
    }
    /// Tolerated oddities, each with its number of occurrences.
    [[nodiscard]] const std::map<std::string, std::size_t>& statistics() const
    {
        return m_parts.statistics;
    }
    /// What this recording can't show, a sentence each.
    [[nodiscard]] const std::vector<std::string>& gaps() const { return m_parts.gaps; }
    /// Whether blocks are what the driver was asked for, and not what its caching allocator gave
    /// the program.
    [[nodiscard]] bool isOfDriver() const { return m_parts.isOfDriver; }

    /// Whether the bytes of an allocation are its block's, and not as requested.
    [[nodiscard]] bool hasWholeBlocks() const
    {
        return std::ranges::find(m_parts.gaps, kWholeBlocks) != m_parts.gaps.end();
    }

    /// False: events have no times; each counts as a nanosecond.
    [[nodiscard]] bool hasTimes() const { return m_parts.hasTimes; }
    /// Of the first event, since 1970; 0 if unknown.
    [[nodiscard]] std::int64_t epochNs() const { return m_parts.epochNs; }
    [[nodiscard]] base::Nanoseconds duration() const { return m_parts.duration; }

    /// All of it, for a trace that differs in some part.
    [[nodiscard]] const TraceParts& parts() const { return m_parts; }

private:
    TraceParts m_parts;
};

using MemoryTracePtr = std::shared_ptr<const MemoryTrace>;

} // namespace plimsoll::memtrace
