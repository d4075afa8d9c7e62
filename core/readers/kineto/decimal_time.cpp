// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/decimal_time.h"

#include <algorithm>
#include <charconv>

namespace plimsoll::readers::kineto {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// The digits without the point, and by which power of ten they are to be multiplied.
class Decimal
{
public:
    /// False: these are no digits.
    bool take(std::string_view& text)
    {
        const std::size_t before = text.size();
        bool isFraction = false;
        while (!text.empty() && (isDigit(text.front()) || (!isFraction && text.front() == '.'))) {
            if (text.front() == '.')
                isFraction = true;
            else
                takeDigit(text.front(), isFraction);
            text.remove_prefix(1);
        }
        return text.size() + (isFraction ? 1U : 0U) < before;
    }
    bool takeExponent(std::string_view& text)
    {
        if (text.empty() || (text.front() != 'e' && text.front() != 'E'))
            return true;
        text.remove_prefix(1);
        if (text.starts_with('+'))
            text.remove_prefix(1);
        int exponent = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
        if (error != std::errc{} || exponent < -kMostExponent || exponent > kMostExponent)
            return false;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        m_exponent += exponent;
        return true;
    }
    /// Times 10^exponent, rounded towards zero.
    [[nodiscard]] std::optional<std::int64_t> scaled(int exponent) const
    {
        std::uint64_t value = m_digits;
        int left = std::clamp(m_exponent + exponent, -2 * kMostExponent, 2 * kMostExponent);
        for (; left < 0 && value > 0; ++left)
            value /= 10;
        for (; left > 0 && value > 0; --left) {
            if (value > static_cast<std::uint64_t>(kLongestNs))
                return std::nullopt;
            value *= 10;
        }
        if (value > static_cast<std::uint64_t>(kLongestNs))
            return std::nullopt;
        return static_cast<std::int64_t>(value);
    }

private:
    static constexpr int kMostExponent = 1000;
    static constexpr std::uint64_t kMostDigits = 1'000'000'000'000'000'000; ///< 18 of them fit

    void takeDigit(char digit, bool isFraction)
    {
        if (m_digits >= kMostDigits) {
            // What is left out is below a nanosecond, or the number is too large at any rate.
            m_exponent += isFraction ? 0 : 1;
            return;
        }
        m_digits = m_digits * 10 + static_cast<std::uint64_t>(digit - '0');
        m_exponent -= isFraction ? 1 : 0;
    }

    std::uint64_t m_digits = 0;
    int m_exponent = 0;
};

} // namespace

std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds)
{
    constexpr int kNsPerUs = 3; // as a power of ten
    const bool isNegative = microseconds.starts_with('-');
    if (isNegative)
        microseconds.remove_prefix(1);
    Decimal decimal;
    if (!decimal.take(microseconds) || !decimal.takeExponent(microseconds)
        || microseconds.find_first_not_of(" \t\r\n") != std::string_view::npos)
        return std::nullopt;
    const std::optional<std::int64_t> value = decimal.scaled(kNsPerUs);
    return value && isNegative ? std::optional{-*value} : value;
}

} // namespace plimsoll::readers::kineto
