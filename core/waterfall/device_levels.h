// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/waterfall/step_match.h"

#include <optional>
#include <string>

namespace plimsoll::waterfall {

/// What the allocator needs during a step, beyond what was requested of it.
struct AllocatorLevels
{
    std::optional<base::Bytes> allocated; ///< the most bytes of blocks in use
    /// Blocks have the sizes that a replay of the recording gives them, if it reserves what was
    /// recorded during the step. Otherwise each is counted as rounded up to 512 B, and this says
    /// why.
    std::string doubt;
    std::optional<base::Bytes> reserved; ///< the most; none if the recording doesn't tell
    /// The most that the driver gave the process: reserved bytes and DeviceTrace::foreign(), if
    /// that is known.
    std::optional<base::Bytes> driver;
};

/// None of pinned host memory. Cancelled if stopped.
[[nodiscard]] base::Result<AllocatorLevels> allocatorLevels(const MeasuredStep& measured,
                                                            const base::JobContext& job);

} // namespace plimsoll::waterfall
