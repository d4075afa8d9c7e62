// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/kineto/event.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace plimsoll::readers::kineto {

inline constexpr std::int64_t kMostDevices = 4096;

[[nodiscard]] inline bool isDevice(std::optional<std::int64_t> number)
{
    return number && *number >= 0 && *number < kMostDevices;
}

/// The device on which something ran. Rows of GPUs have its number where others have the process's.
[[nodiscard]] std::optional<int> deviceOf(const TraceEvent& event);

/// The value of `baseTimeNanoseconds`, from 0 to kLongestNs; nothing if it is anything else.
[[nodiscard]] std::optional<std::int64_t> baseTimeOf(std::string_view text);

/// Calls `take` with ordinal and name of each entry of `deviceProperties` that has both. False: it
/// is no list.
bool eachDevice(std::string_view text, const std::function<void(int, std::string_view)>& take);

} // namespace plimsoll::readers::kineto
