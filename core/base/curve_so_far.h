// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace plimsoll::base {

/// Curves that a job has computed so far, such as what is live after each event of a recording.
/// Kept in some hundred blocks of values, of which the lowest and the highest are exact. Written by
/// the worker through a CurveFeed, read by anybody at any time.
class CurveSoFar
{
public:
    struct Block
    {
        std::int64_t lowest = 0;
        std::int64_t highest = 0;
        bool operator==(const Block&) const = default;
    };
    /// One of the curves, as far as it is known.
    struct Curve
    {
        int series = 0;
        std::size_t values = 0;
        std::size_t perBlock = 0; ///< values; the last block may have fewer
        std::vector<Block> blocks;

        [[nodiscard]] Block range() const;
    };

    /// Some values more. Every block but the last of a curve has equally many.
    void append(int series, const Block& block, std::size_t values);
    /// What was told was wrong.
    void clear();
    /// The one with the most values; nothing before there are any.
    [[nodiscard]] std::optional<Curve> longest() const;

private:
    mutable std::mutex m_mutex;
    std::map<int, Curve> m_curves;
};

/// Adds values to a curve: a few instructions each.
class CurveFeed
{
public:
    static constexpr std::size_t kPerBlock = 1024;

    CurveFeed() = default;
    /// `curve`: null if nobody reads it.
    CurveFeed(CurveSoFar* curve, int series) : m_curve{curve}, m_series{series} {}

    void add(std::int64_t value)
    {
        if (m_curve == nullptr)
            return;
        correct(value);
        if (++m_values == kPerBlock)
            flush();
    }
    /// The last value became this one.
    void correct(std::int64_t value)
    {
        m_last = value;
        m_block.lowest = std::min(m_block.lowest, value);
        m_block.highest = std::max(m_block.highest, value);
    }
    /// Adds a block of fewer values; the last one.
    void flush()
    {
        if (m_curve == nullptr || m_values == 0)
            return;
        m_curve->append(m_series, m_block, m_values);
        m_values = 0;
        m_block = {m_last, m_last}; // what holds until the next value
    }

private:
    CurveSoFar* m_curve = nullptr;
    int m_series = 0;
    std::size_t m_values = 0; ///< in m_block
    std::int64_t m_last = 0;
    CurveSoFar::Block m_block; ///< curves begin at 0
};

} // namespace plimsoll::base
