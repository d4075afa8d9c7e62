// SPDX-License-Identifier: Apache-2.0
#include "core/solve/api/status.h"

#include <array>

namespace plimsoll::solve {

const char* statusName(Status status)
{
    static constexpr std::array kNames{"optimal", "feasible", "infeasible", "not_found"};
    return kNames.at(static_cast<std::size_t>(status));
}

} // namespace plimsoll::solve
