// SPDX-License-Identifier: Apache-2.0
#include "core/graph/vary.h"

#include "core/base/limits.h"

#include <cstddef>

namespace plimsoll::graph {

namespace {

/// Holds a few products of numbers below 2^62.
__extension__ typedef __int128 Wide; // NOLINT(modernize-use-using): the only form GCC lets pass

constexpr std::int64_t kTooLarge = -1;

std::int64_t powerOf(std::span<const std::int64_t> sizes, const std::vector<std::int64_t>& term)
{
    std::int64_t power = 1;
    for (std::size_t axis = 0; axis < term.size(); ++axis)
        for (std::int64_t i = 0; i < term[axis]; ++i)
            if (__builtin_mul_overflow(power, sizes[axis], &power) || power >= base::kHuge)
                return kTooLarge;
    return power;
}

} // namespace

bool Axis::has(std::int64_t other) const
{
    return other >= recorded.front() && (other - recorded.front()) % step == 0;
}

std::vector<std::int64_t> Vary::sizes() const
{
    std::vector<std::int64_t> sizes;
    for (const Axis& axis : axes)
        sizes.push_back(axis.size);
    return sizes;
}

LawsAt::LawsAt(const Vary& vary, std::span<const std::int64_t> sizes) : m_vary{vary}
{
    for (const std::vector<std::int64_t>& term : vary.terms)
        m_powers.push_back(powerOf(sizes, term));
}

std::optional<std::int64_t> LawsAt::operator()(Law law) const
{
    const Polynomial& polynomial = m_vary.polynomials[static_cast<std::size_t>(law)];
    Wide sum = 0;
    for (std::size_t term = 0; term < m_powers.size(); ++term) {
        const std::int64_t coefficient = polynomial.coefficients[term];
        if (coefficient == 0)
            continue;
        if (m_powers[term] == kTooLarge
            || __builtin_add_overflow(sum, Wide{coefficient} * m_powers[term], &sum))
            return std::nullopt;
    }
    if (sum < 0 || sum % polynomial.denominator != 0)
        return std::nullopt;
    const Wide value = sum / polynomial.denominator;
    if (value >= base::kHuge)
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

} // namespace plimsoll::graph
