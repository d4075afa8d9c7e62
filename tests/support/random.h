// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/random.h"

namespace plimsoll::tests {

/// The numbers that tests like to draw.
class Random : public base::Random
{
public:
    using base::Random::Random;

    /// Uniform in low … high, both included.
    [[nodiscard]] int between(int low, int high)
    {
        return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
    }
    [[nodiscard]] bool percent(int chance) { return between(0, 99) < chance; }
};

} // namespace plimsoll::tests
