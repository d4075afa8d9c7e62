// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/limits.h"
#include "core/base/quantity.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace plimsoll::base {

/// The largest accepted budget.
inline constexpr Bytes kLargestBudget{kHuge};

/// A size, or a ratio such as "80%" of a peak that is known only later (cli.md).
struct Budget
{
    Bytes bytes;
    std::optional<double> ratio; ///< 0.8

    [[nodiscard]] Bytes of(Bytes peak) const;
    /// A budget that nothing fits, whatever the peak.
    [[nodiscard]] bool isZero() const { return ratio ? *ratio == 0 : bytes.count() == 0; }
};
[[nodiscard]] Result<Budget> parseBudget(std::string_view text);
/// "20%" or "20" as 20.
[[nodiscard]] Result<double> parsePercent(std::string_view text);

} // namespace plimsoll::base
