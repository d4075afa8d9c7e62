// SPDX-License-Identifier: Apache-2.0
#include "core/base/budget.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace plimsoll::base {

Bytes Budget::of(Bytes peak) const
{
    if (!ratio)
        return bytes;
    const double share = std::floor(*ratio * static_cast<double>(peak.count()));
    return Bytes{
        static_cast<std::int64_t>(std::min(share, static_cast<double>(kLargestBudget.count())))};
}

Result<double> parsePercent(std::string_view text)
{
    std::string_view digits = text;
    if (digits.ends_with('%'))
        digits.remove_suffix(1);
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end || !(value >= 0) || value > 1e6)
        return failure(ErrorKind::Usage,
                       fmt::format("\"{}\" is not a percentage: write a number such as 80%.",
                                   printable(text, 40)));
    return value;
}

Result<Budget> parseBudget(std::string_view text)
{
    if (text.ends_with('%'))
        return parsePercent(text).map(
            [](double percent) { return Budget{.bytes = {}, .ratio = percent / 100}; });
    return parseBytes(text).map([](Bytes bytes) { return Budget{.bytes = bytes, .ratio = {}}; });
}

} // namespace plimsoll::base
