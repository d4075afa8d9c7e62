// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/ops/op_recording.h"

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace plimsoll::memtrace {

/// Collects what a profiler recorded, in any order.
class OpRecordingBuilder
{
public:
    OpRecordingBuilder() { static_cast<void>(text({})); }

    /// The number of a text.
    [[nodiscard]] std::uint32_t text(std::string_view text);
    /// Returns the number by which addWork() names the span. Its parent and what it launched are
    /// filled in by build().
    std::uint32_t addSpan(const OpSpan& span);
    /// A kernel, copy or fill of a device that this span launched.
    void addWork(int device, base::Nanoseconds time, std::uint32_t span);
    /// One that the innermost span launched that this thread ran at this time.
    void addWorkAt(int device, base::Nanoseconds time, std::uint32_t thread, std::int64_t at);
    /// One of which it isn't known who launched it.
    void addUntied(int device, base::Nanoseconds time);
    /// One without a usable duration.
    void addUnusable() { ++m_recording.unusable; }
    void setDeviceName(int device, std::string name) { m_devices[device] = std::move(name); }
    /// What times count from, since 1970.
    void setBase(std::int64_t nanoseconds) { m_baseNs = nanoseconds; }
    [[nodiscard]] std::size_t memoryBytes() const;

    /// Of the device that worked the longest. Fails, with the end of a sentence, if no operator has
    /// work of a device.
    [[nodiscard]] base::Result<OpRecordingPtr> build(const base::JobContext& context = {}) &&;

private:
    struct Work
    {
        std::int64_t time = 0;
        std::int64_t launched = 0; ///< by addWorkAt(); as the next
        std::uint32_t thread = 0;
        std::uint32_t span = kNone; ///< by addWork()
        int device = 0;
        bool isLaunchKnown = false;
    };

    void chooseDevice();
    void sortSpans();
    void nest();
    /// Finds the span of each work of which the thread and time of the launch are known.
    void tieToLaunches();
    void sumUp();
    [[nodiscard]] std::int64_t epoch() const;

    std::vector<std::string> m_texts;
    std::unordered_map<std::string, std::uint32_t> m_numbers;
    std::size_t m_textBytes = 0;
    std::vector<OpSpan> m_spans;
    std::vector<Work> m_works;
    std::map<int, std::string> m_devices;
    std::int64_t m_baseNs = 0;
    OpRecording m_recording;
};

} // namespace plimsoll::memtrace
