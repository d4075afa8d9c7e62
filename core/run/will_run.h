// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/run/device_run.h"

#include <optional>
#include <string_view>

namespace plimsoll::run {

enum class RunStatus {
    Runs,
    RunsWithFlushes, ///< the allocator has to release its cache and try again: slower, no failure
    Fails,           ///< out of memory, because free memory lies in pieces that are too small
};

/// "runs", "runs_with_flushes", "fails".
[[nodiscard]] std::string_view runStatusName(RunStatus status);

/// Whether a training loop with a plan runs on a device with as much memory as a budget, and if
/// not, what helps.
struct RunVerdict
{
    RunStatus status = RunStatus::Runs;
    DeviceRun run;
    /// If it fails: a budget, the reserve included, at which it runs under the same settings, the
    /// smallest that bisection finds.
    std::optional<base::Bytes> runsAt = {};
    /// If it fails, or needs flushes: the status with expandable segments, unless these are chosen.
    std::optional<RunStatus> expandable = {};
};

/// Whether the step is for a GPU, where memory comes from PyTorch's caching allocator. A step for
/// the CPU needs no replay: it runs if its peak is within the budget.
[[nodiscard]] bool hasAllocator(const plan::Problem& problem);

/// Replays the loop on a device with the memory that the budget leaves behind the plan's reserve.
/// Cancelled if stopped.
[[nodiscard]] base::Result<RunVerdict> willRun(const plan::VerifiedPlan& plan,
                                               const allocator::AllocatorSettings& settings,
                                               base::Bytes budget, const base::JobContext& context);

/// The same without what helps: one replay.
[[nodiscard]] base::Result<RunStatus> runStatus(const plan::VerifiedPlan& plan,
                                                const allocator::AllocatorSettings& settings,
                                                base::Bytes budget,
                                                const base::JobContext& context);

} // namespace plimsoll::run
