// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::waterfall {

/// Why measured and predicted bytes differ. In the order of the waterfall.
enum class Reason : std::uint8_t {
    OtherPlace,    ///< the peaks are reached at different ops
    Workspaces,    ///< of cuBLAS and other libraries
    KernelScratch, ///< taken and freed while one op runs
    Outputs,       ///< results of the step are freed earlier, or later, than predicted
    FreedEarlier,
    HeldLonger,
    Residents, ///< what is older than the step
    NotExplained,
    Rounding,      ///< from requested to allocated bytes
    Fragmentation, ///< from allocated to reserved bytes
    Foreign,       ///< from reserved bytes to those that the driver gave the process
};
inline constexpr std::size_t kReasonCount = 11;
/// "other_place", "workspaces", …
[[nodiscard]] const char* reasonKey(Reason reason);
/// "Peak at another op", …
[[nodiscard]] const char* reasonName(Reason reason);

/// A part of the difference.
struct WaterfallRow
{
    Reason reason = Reason::NotExplained;
    base::Bytes bytes; ///< measured more than predicted
    std::string text;  ///< a sentence
    /// What it consists of; empty for rows that are differences of sums.
    std::vector<std::uint32_t> allocations; ///< of the device
    std::vector<std::uint32_t> instances;   ///< of the schedule
};

} // namespace plimsoll::waterfall
