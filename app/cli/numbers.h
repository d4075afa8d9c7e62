// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>

namespace plimsoll::cli {

/// Checks for options with numbers. The library's own conversion would take "nan" for a number,
/// "010" for 8 and what has no place in 64 bits for the largest number.

/// A decimal whole number from `low` to `high`.
[[nodiscard]] CLI::Validator wholeNumber(std::int64_t low, std::int64_t high);

/// More than 0 and at most 1,000,000,000 seconds.
[[nodiscard]] CLI::Validator seconds();

/// More than 0 and at most 1,000: a share of something.
[[nodiscard]] CLI::Validator share();

} // namespace plimsoll::cli
