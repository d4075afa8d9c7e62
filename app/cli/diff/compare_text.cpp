// SPDX-License-Identifier: Apache-2.0
#include "app/cli/diff/compare_text.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <cmath>

namespace plimsoll::cli {

namespace {

constexpr double kLeastShown = 0.005; ///< percent; less rounds to 0.00

} // namespace

std::string valueText(std::optional<std::int64_t> value, compare::Unit unit)
{
    if (!value)
        return "-";
    return unit == compare::Unit::Bytes ? base::exactBytesText(base::Bytes{*value})
                                        : base::timeText(base::Nanoseconds{*value});
}

ordered_json valueJson(std::optional<std::int64_t> value)
{
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::string differenceText(std::optional<std::int64_t> first, std::optional<std::int64_t> second,
                           compare::Unit unit)
{
    if (!first || !second)
        return "";
    const std::int64_t difference = *second - *first;
    if (difference == 0)
        return "equal";
    const double percent = 100.0 * static_cast<double>(difference) / static_cast<double>(*first);
    if (*first != 0 && std::abs(percent) >= kLeastShown)
        return fmt::format("{:+.2f} %", percent);
    return (difference > 0 ? "+" : "") + valueText(difference, unit);
}

} // namespace plimsoll::cli
