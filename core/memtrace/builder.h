// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/device_builder.h"
#include "core/memtrace/memory_trace.h"
#include "core/memtrace/stack_table_builder.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::memtrace {

/// Collects what a recording contains. Readers add events of each device in the order of the
/// recording, and the state at its end, in any order of the two.
class Builder
{
public:
    /// `curve`: gets what is live, less what was live at first, after each event.
    explicit Builder(base::CurveSoFar* curve = nullptr) : m_curve{curve} {}
    /// For events that are added from now on to devices that have none.
    void setCurve(base::CurveSoFar* curve) { m_curve = curve; }

    /// Texts, frames and stacks.
    [[nodiscard]] StackTableBuilder& stacks() { return m_stacks; }
    /// -1: pinned host memory.
    [[nodiscard]] DeviceBuilder& device(int ordinal);
    /// A range begins or ends: ends belong to the last range of that name and device that is open.
    /// `timeNs`: since 1970, as the events'.
    void beginRange(std::string_view name, int device, std::int64_t timeNs);
    void endRange(std::string_view name, int device, std::int64_t timeNs);
    /// A range with both its ends. Add those of a device sorted by begin, and either so or by
    /// beginRange().
    void addRange(std::string_view name, int device, std::int64_t beginNs, std::int64_t endNs);
    void setSetting(std::string name, std::string value);
    /// Counts a tolerated oddity: "frees_without_allocation".
    void count(std::string_view fault, std::size_t occurrences = 1);
    /// What was counted, in words: ": events without … (1)"; empty if nothing was.
    [[nodiscard]] std::string countedText() const;

    /// A sentence on what the recording can't show.
    void addGap(std::string sentence) { m_gaps.push_back(std::move(sentence)); }
    /// See MemoryTrace::isOfDriver(). Adds kDriverBlocks.
    void setOfDriver();
    /// It was recorded until then, since 1970, though nothing may have happened.
    void extendTo(std::int64_t timeNs) { m_recordedUntil = std::max(m_recordedUntil, timeNs); }

    /// Completes the state before the first event and at the end. Fails if there is nothing to
    /// show.
    [[nodiscard]] base::Result<MemoryTracePtr> build(const base::JobContext& context = {}) &&;

private:
    struct Range
    {
        Annotation annotation;
        std::int64_t begin = 0; ///< since 1970, as the next
        std::optional<std::int64_t> end;
    };

    /// Times of the first and the last event of all devices.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> timeSpan() const;
    [[nodiscard]] std::vector<Annotation> annotations(std::int64_t origin, std::int64_t end) const;

    base::CurveSoFar* m_curve;
    StackTableBuilder m_stacks;
    std::map<int, std::unique_ptr<DeviceBuilder>> m_devices;
    std::vector<Range> m_ranges;
    std::map<int, std::vector<std::size_t>> m_open;  ///< by device: ranges that have not ended
    std::map<int, std::vector<std::int64_t>> m_ends; ///< by device: of ranges that may go on
    std::map<std::string, std::string> m_settings;
    Statistics m_statistics;
    std::vector<std::string> m_gaps;
    bool m_isOfDriver = false;
    std::int64_t m_recordedUntil = 0;
};

} // namespace plimsoll::memtrace
