// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::plan::detail {

inline constexpr auto kPlanFormat = "plimsoll-plan";
inline constexpr int kPlanVersion = 1;

} // namespace plimsoll::plan::detail
