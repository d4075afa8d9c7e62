// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/snapshots/generated_snapshot.h"

#include <functional>
#include <string_view>

namespace plimsoll::tests {

/// Writes it as a pickle of protocol 4.
GeneratedFacts generateSnapshot(const GeneratedSnapshot& snapshot,
                                const std::function<void(std::string_view)>& sink);

} // namespace plimsoll::tests
