// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plimsoll::base {

/// Upper bound of sizes and times that come from outside, so that the sum of two fits into 64 bits.
inline constexpr std::int64_t kHuge = std::int64_t{1} << 62U;

} // namespace plimsoll::base
