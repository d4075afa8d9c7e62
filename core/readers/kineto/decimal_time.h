// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::readers::kineto {

/// The longest time that is read, either way: sums of three fit 64 bits.
inline constexpr std::int64_t kLongestNs = std::int64_t{1} << 61U;

/// A JSON number of microseconds ("5082936646179.568", "1.7e15") in nanoseconds, exact to the
/// nanosecond; digits beyond are left out. Nothing if it isn't a number, or beyond kLongestNs.
[[nodiscard]] std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds);

} // namespace plimsoll::readers::kineto
