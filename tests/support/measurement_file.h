// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::tests {

/// A measurement file as plimsoll.measure() would write it for steps on a GPU that ran the given
/// plans, one run each, the first for a plan that keeps everything: each step held `more` bytes
/// more than predicted and each op took 5 us.
[[nodiscard]] std::string measurementOf(const std::vector<plan::VerifiedPlanPtr>& plans,
                                        std::int64_t more);

} // namespace plimsoll::tests
