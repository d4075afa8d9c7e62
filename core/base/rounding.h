// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plimsoll::base {

/// Which way the last shown digit goes. A peak is rounded up; budgets, free space and lower bounds
/// down, so that rounding never makes a plan look feasible.
enum class Rounding : std::uint8_t { Nearest, Up, Down };

} // namespace plimsoll::base
