// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/column.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::timeline {

/// Non-decreasing times, none below 0. compress() stores each in little more than 32 bits: a block
/// has its first time and the distance of each to it. Blocks for which that doesn't suffice keep
/// whole times. Copies of compressed times share them.
class Times
{
public:
    void reserve(std::size_t count) { m_whole.reserve(count); }
    /// Not after compress().
    void append(std::int64_t time) { m_whole.push_back(time); }
    void compress();

    [[nodiscard]] std::size_t size() const
    {
        return m_behind.empty() ? m_whole.size() : m_behind.size();
    }
    [[nodiscard]] std::int64_t operator[](std::size_t at) const
    {
        if (m_behind.empty())
            return m_whole[at];
        const std::int64_t first = m_first[at / kBlock];
        return first >= 0 ? first + m_behind[at] : m_exact[exactOf(first) + at % kBlock];
    }
    /// Number of times that are not after `time`.
    [[nodiscard]] std::size_t countUntil(std::int64_t time) const;
    /// The same where the time at `from` isn't after `time`, fast if the number is about `from` +
    /// `ahead`.
    [[nodiscard]] std::size_t countUntil(std::int64_t time, std::size_t from,
                                         std::size_t ahead) const;

    /// Compressed times as they are stored, by block and by time.
    struct Columns
    {
        base::Column<std::int64_t> first;
        base::Column<std::uint32_t> behind;
        base::Column<std::int64_t> exact;
    };
    /// Requires compress().
    [[nodiscard]] Columns columns() const { return {m_first, m_behind, m_exact}; }
    /// Nothing if these aren't columns of non-decreasing times from 0 on.
    [[nodiscard]] static std::optional<Times> fromColumns(Columns columns);

private:
    static constexpr std::size_t kBlock = 64;

    /// Where the whole times of a block begin.
    [[nodiscard]] static std::size_t exactOf(std::int64_t first)
    {
        return static_cast<std::size_t>(-1 - first);
    }

    std::vector<std::int64_t> m_whole;    ///< until they are compressed
    base::Column<std::int64_t> m_first;   ///< by block; below 0: see exactOf()
    base::Column<std::uint32_t> m_behind; ///< empty: not compressed
    base::Column<std::int64_t> m_exact;   ///< of blocks that keep whole times
};

} // namespace plimsoll::timeline
