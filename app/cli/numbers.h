// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>

namespace plimsoll::cli {

/// The largest budget that the solvers' own formats take: sums of several stay in 64 bits.
inline constexpr std::int64_t kMostBudget = 999999999999999999;

/// Groups of allocations that can be asked for.
inline constexpr std::int64_t kMostGroups = 1'000'000;

/// Validators for numeric options. CLI11's own conversion would accept "nan", read "010" as 8 and
/// clamp numbers beyond 64 bits.

/// A decimal whole number from `low` to `high`.
[[nodiscard]] CLI::Validator wholeNumber(std::int64_t low, std::int64_t high);

/// More than 0 and at most 1,000,000,000 seconds.
[[nodiscard]] CLI::Validator seconds();

/// More than 0 and at most 1,000: a share of something.
[[nodiscard]] CLI::Validator share();

} // namespace plimsoll::cli
