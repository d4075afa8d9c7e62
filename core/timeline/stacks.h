// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/timeline/interval.h"
#include "core/timeline/layers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::timeline {

/// Bytes by layer.
using Stack = std::array<base::Bytes, kMostLayers>;

/// Bytes of a stack's layers together.
[[nodiscard]] base::Bytes sumOf(const Stack& stack);

/// The stack and the total of each step. They take 36 bytes for each step where 32 bits suffice to
/// count the largest power of two that divides all sizes, which are multiples of 512 on a GPU: up
/// to 2 TiB. Else they take twice as much.
class Stacks
{
public:
    Stacks() = default;
    /// Intervals end before `stepCount`.
    Stacks(const std::vector<Interval>& intervals, std::size_t stepCount);

    [[nodiscard]] std::size_t size() const { return m_small.size() + m_large.size(); }
    [[nodiscard]] Stack at(std::size_t step) const
    {
        return m_large.empty() ? stackOf(m_small[step]) : stackOf(m_large[step]);
    }
    [[nodiscard]] std::int64_t totalAt(std::size_t step) const
    {
        return m_large.empty()
                   ? static_cast<std::int64_t>(std::uint64_t{m_small[step].back()} << m_shift)
                   : static_cast<std::int64_t>(m_large[step].back() << m_shift);
    }

private:
    /// In units of 2^m_shift bytes: by layer, and their sum.
    template <typename Unit>
    using Row = std::array<Unit, kMostLayers + 1>;

    template <typename Unit>
    [[nodiscard]] Stack stackOf(const Row<Unit>& row) const
    {
        Stack stack;
        for (std::size_t layer = 0; layer < kMostLayers; ++layer)
            stack[layer] =
                base::Bytes{static_cast<std::int64_t>(std::uint64_t{row[layer]} << m_shift)};
        return stack;
    }
    template <typename Unit>
    [[nodiscard]] std::vector<Row<Unit>> rowsOf(const std::vector<Interval>& intervals,
                                                std::size_t stepCount) const;

    unsigned m_shift = 0;
    std::vector<Row<std::uint32_t>> m_small;
    std::vector<Row<std::uint64_t>> m_large; ///< if these don't suffice
};

} // namespace plimsoll::timeline
