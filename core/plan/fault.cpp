// SPDX-License-Identifier: Apache-2.0
#include "core/plan/fault.h"

#include <array>
#include <cstddef>

namespace plimsoll::plan {

const char* faultName(FaultKind kind)
{
    static constexpr std::array kNames{"illegal_region", "illegal_repeat",    "use_before_compute",
                                       "use_after_free", "overwritten_input", "over_budget",
                                       "pin_violated"};
    return kNames.at(static_cast<std::size_t>(kind));
}

} // namespace plimsoll::plan
