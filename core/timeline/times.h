// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::timeline {

/// Non-decreasing times, none below 0. compress() stores each in little more than 32 bits: a block
/// has its first time and the distance of each to it. Blocks for which that doesn't suffice keep
/// whole times.
class Times
{
public:
    void reserve(std::size_t count) { m_whole.reserve(count); }
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
        return first >= 0 ? first + m_behind[at] : m_whole[wholeOf(first) + at % kBlock];
    }
    /// Number of times that are not after `time`.
    [[nodiscard]] std::size_t countUntil(std::int64_t time) const;

private:
    static constexpr std::size_t kBlock = 64;

    /// Where the whole times of a block begin.
    [[nodiscard]] static std::size_t wholeOf(std::int64_t first)
    {
        return static_cast<std::size_t>(-1 - first);
    }

    std::vector<std::int64_t> m_whole;   ///< all, or those of some blocks
    std::vector<std::int64_t> m_first;   ///< by block; below 0: see wholeOf()
    std::vector<std::uint32_t> m_behind; ///< empty: not compressed
};

} // namespace plimsoll::timeline
