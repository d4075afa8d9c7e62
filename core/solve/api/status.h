// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace plimsoll::solve {

/// The status of an answer: a plan, a chain's schedule, a packing.
enum class Status : std::uint8_t {
    Optimal,    ///< equals a proven bound: nothing is better
    Feasible,   ///< fits; better ones may exist
    Infeasible, ///< proven: nothing fits
    NotFound,   ///< none that fits was found
};

/// "optimal", "feasible", "infeasible", "not_found".
[[nodiscard]] const char* statusName(Status status);

} // namespace plimsoll::solve
