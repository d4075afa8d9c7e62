// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/plan/fault.h"

#include <cstddef>
#include <vector>

namespace plimsoll::plan {

/// What an independent replay of the plan saw.
struct Verification
{
    std::vector<Fault> faults; ///< empty: the plan is good
    base::Bytes peak;          ///< reserve included; 0 when regions or repetitions are illegal
    std::size_t peakStep = 0;
    std::vector<base::Bytes> liveBytes; ///< during each executed step, reserve included
};

} // namespace plimsoll::plan
