// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll::workspace {

enum class FitStatus {
    Unplanned, ///< the step runs without a plan, and no plan runs better
    Planned,   ///< a plan runs
    Fails,     ///< plans are within the memory, but fragmentation makes each run out of it
    NoPlan,    ///< no plan is within the memory
};

/// "unplanned", "planned", "fails", "no_plan".
[[nodiscard]] std::string_view fitStatusName(FitStatus status);

/// A step on one device with its whole memory as the budget, as far as it is known.
struct DeviceFit
{
    plan::Device device;
    std::optional<FitStatus> status; ///< empty: not known yet
    plan::VerifiedPlanPtr unplanned; ///< the step without a plan; null: not known yet
    /// The plan to take, which keeps everything for Unplanned; the fastest within the memory for
    /// Fails; empty for NoPlan.
    plan::FrontierPoint plan;
    std::optional<run::RunStatus> run; ///< of that plan; empty without one, and for the CPU
    /// From which budget on some plan runs without cache flushes; empty: not known yet, or none.
    std::optional<base::Bytes> leastBudget;
    bool isOver = false; ///< everything is known
};

/// Called with a row that has changed, by its place among the choices: from any thread, one call at
/// a time.
using DeviceFitListener = std::function<void(std::size_t, const DeviceFit&)>;

/// Where a step fits: one row for each of the choices, which differ in the device and what depends
/// on it. First looks at each device without a plan, and at what no plan can go below, which takes
/// a fraction of a second; then plans for each one with the times that its ops take there, first
/// where the answer depends on it. If
/// stopped, returns what is known. Takes as long as planning once for each device: off the GUI
/// thread.
[[nodiscard]] base::Result<std::vector<DeviceFit>>
deviceFits(const graph::ProgramPtr& recorded, const std::vector<Choices>& choices,
           const allocator::AllocatorSettings& settings, const base::JobContext& job,
           const DeviceFitListener& listener = {});

} // namespace plimsoll::workspace
