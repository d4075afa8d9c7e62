// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// Numbers by position, with range-add and range-max in O(log n), and the position of the maximum.
class RangeMaxTree
{
public:
    /// All `count` positions start at 0; others count as far below every number.
    explicit RangeMaxTree(std::size_t count);

    /// Adds to all positions first <= p < end.
    void add(std::size_t first, std::size_t end, std::int64_t amount);
    /// The maximum over positions first <= p < end, which must not be empty.
    [[nodiscard]] std::int64_t max(std::size_t first, std::size_t end) const;
    [[nodiscard]] std::int64_t max() const { return m_max[1]; }
    /// First position that holds the maximum.
    [[nodiscard]] std::size_t argMax() const;

private:
    void renew(std::size_t node);

    std::size_t m_width;             ///< positions, rounded up to a power of two
    std::vector<std::int64_t> m_max; ///< by node, root 1: of its range, without adds further up
    std::vector<std::int64_t> m_add; ///< by node: what was added to its whole range
};

} // namespace plimsoll::solve
