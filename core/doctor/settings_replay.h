// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/doctor/idle_memory.h"
#include "core/doctor/recorded_settings.h"
#include "core/memtrace/memory_trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::doctor {

/// What a diagnosis is about: an allocation that failed, or the peak of what was live.
struct Moment
{
    std::size_t step = 0; ///< of DeviceTrace::axisTimes()
    std::optional<memtrace::OutOfMemory> failure;

    /// Where views show it: a failure with its own time, not that of the event before it.
    [[nodiscard]] std::size_t shownStep() const
    {
        return failure ? failure->event + std::size_t{1} : step;
    }
};

/// The recorded allocations and frees in an allocator with other settings.
struct SettingsRun
{
    std::string option;   ///< what differs: "expandable_segments:True"
    std::string settings; ///< PYTORCH_CUDA_ALLOC_CONF as a whole
    /// The event whose allocation fails with them; the failure's if it fails again.
    std::optional<memtrace::EventIndex> failedAt;
    base::Bytes peakReserved; ///< up to the failed allocation if there was one
    base::Bytes reserved;     ///< at the moment, with what had failed if there is memory for it now
};

struct SettingsReplay
{
    /// Why the runs are estimates, a sentence each. None: a replay with the recorded settings
    /// reserves what the recording says, after each event, and fails where the program did.
    std::vector<std::string> doubts;
    /// Why there are no runs; empty if there are.
    std::string refusal;
    RecordedSettings recorded;
    base::Bytes peakReserved; ///< with the recorded settings, as SettingsRun::peakReserved
    /// By how much that differs from the recorded peak: 0 if the replay is exact.
    base::Bytes peakOff;
    /// What the device would have had to have for PyTorch at the moment, with these settings.
    base::Bytes needed;
    /// What it had, if an allocation failed.
    std::optional<base::Bytes> limit;
    /// At the moment; none if the replay doesn't reserve what was recorded.
    std::optional<IdleMemory> idle;
    /// What torch.cuda.empty_cache() would give back at the moment; likewise.
    std::optional<base::Bytes> releasable;
    std::vector<SettingsRun> runs;

    [[nodiscard]] bool isExact() const { return refusal.empty() && doubts.empty(); }
};

/// Replays a device under the recorded settings and others. Nothing if it was stopped.
[[nodiscard]] std::optional<SettingsReplay>
replaySettings(const memtrace::MemoryTrace& trace, const memtrace::DeviceTrace& device,
               TraceReplay& replay, const Moment& moment, const base::JobContext& context);

/// What PyTorch may have reserved at most: what it had, and what the driver had left.
[[nodiscard]] std::optional<base::Bytes> limitOf(const memtrace::DeviceTrace& device,
                                                 const Moment& moment);

} // namespace plimsoll::doctor
