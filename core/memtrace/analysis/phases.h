// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"
#include "core/memtrace/analysis/step_phases.h"
#include "core/memtrace/memory_trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::memtrace {

/// Named phases, and in which of them each allocation was made.
struct Phases
{
    std::vector<std::string> names;      ///< in the order in which they first occur
    base::Column<std::uint16_t> phaseOf; ///< by allocation
    bool areAnnotated = false;           ///< names are those of the recording's annotations

    [[nodiscard]] const std::string& nameOf(std::size_t allocation) const
    {
        return names[phaseOf[allocation]];
    }
};

/// The innermost annotation of the device that is open when an allocation is made. Where none is,
/// such as in a recording that has only those of PyTorch's optimizers: "forward", "backward",
/// "optimizer", "not known", from stepPhases(). Beyond 65,000 different names the others share one.
/// `steps`: of stepPhases().
[[nodiscard]] Phases phasesOf(const MemoryTrace& trace, const DeviceTrace& device,
                              const std::vector<StepPhase>& steps);
[[nodiscard]] Phases phasesOf(const MemoryTrace& trace, const DeviceTrace& device);

} // namespace plimsoll::memtrace
