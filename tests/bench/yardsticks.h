// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

namespace plimsoll::bench {

/// A duration in microseconds: wall-clock time, and this thread's processor time, which hardly
/// depends on other load.
struct Span
{
    double wall = 0;
    double processor = 0;
};

inline Span operator-(const Span& a, const Span& b)
{
    return {a.wall - b.wall, a.processor - b.processor};
}

inline Span now()
{
    timespec cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    const std::chrono::duration<double, std::micro> wall =
        std::chrono::steady_clock::now().time_since_epoch();
    return {wall.count(),
            static_cast<double>(cpu.tv_sec) * 1e6 + static_cast<double>(cpu.tv_nsec) / 1e3};
}

/// The value that a share of all values doesn't exceed, separately for each clock. Requires at
/// least one value.
inline Span quantile(const std::vector<Span>& spans, double share)
{
    std::vector<double> wall;
    std::vector<double> processor;
    for (const Span& span : spans) {
        wall.push_back(span.wall);
        processor.push_back(span.processor);
    }
    std::sort(wall.begin(), wall.end());
    std::sort(processor.begin(), processor.end());
    const double rank = std::ceil(share * static_cast<double>(spans.size()));
    const std::size_t index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return {wall[index], processor[index]};
}

/// The bare column fill: the minimum cost of painting a full screen from per-column aggregates.
/// 1920 columns of 100 runs each, filled along the column in a strip that stays in the cache, then
/// transposed into rows of pixels.
class ColumnFill
{
public:
    ColumnFill() : m_strip(kStrip * kHeight), m_pixels(kWidth * kHeight) {}

    /// Returns something that depends on the pixels.
    std::uint32_t run()
    {
        ++m_round;
        for (std::size_t left = 0; left < kWidth; left += kStrip) {
            for (std::size_t x = 0; x < kStrip; ++x)
                fillColumn(m_strip.data() + x * kHeight,
                           static_cast<std::uint32_t>(left + x) + m_round);
            for (std::size_t y = 0; y < kHeight; ++y)
                for (std::size_t x = 0; x < kStrip; ++x)
                    m_pixels[y * kWidth + left + x] = m_strip[x * kHeight + y];
        }
        return m_pixels[(m_round * 7919U) % m_pixels.size()];
    }

private:
    static constexpr std::size_t kWidth = 1920;
    static constexpr std::size_t kHeight = 1080;
    static constexpr std::size_t kRuns = 100;
    static constexpr std::size_t kStrip = 16; ///< columns: a cache line of each row

    static void fillColumn(std::uint32_t* column, std::uint32_t seed)
    {
        for (std::size_t run = 0; run < kRuns; ++run) {
            const std::size_t begin = run * kHeight / kRuns;
            const std::size_t end = (run + 1) * kHeight / kRuns;
            const std::uint32_t colour =
                0xFF000000U | ((seed + static_cast<std::uint32_t>(run)) * 2654435761U >> 8U);
            for (std::size_t y = begin; y < end; ++y)
                column[y] = colour;
        }
    }

    std::vector<std::uint32_t> m_strip;
    std::vector<std::uint32_t> m_pixels;
    std::uint32_t m_round = 0;
};

/// The profile scan: one pass over a schedule of n nodes with two inputs each in CSR, giving the
/// bytes alive at each step and the peak.
class ProfileScan
{
public:
    explicit ProfileScan(std::size_t nodes)
        : m_first(nodes + 1), m_inputs(2 * nodes), m_lastUse(nodes), m_bytes(nodes), m_alive(nodes)
    {
        std::uint64_t state = 1;
        for (std::size_t node = 0; node < nodes; ++node) {
            m_first[node] = static_cast<std::uint32_t>(2 * node);
            m_bytes[node] = static_cast<std::int64_t>(512 + node % 97 * 512);
            m_lastUse[node] = static_cast<std::uint32_t>(node);
            for (std::size_t edge = 2 * node; edge < 2 * node + 2; ++edge) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                // One input is recent, the other one comes from anywhere before.
                const std::size_t reach = edge % 2 == 0 ? std::min<std::size_t>(node, 4) : node;
                const std::size_t back = reach == 0 ? 0 : 1 + (state >> 33U) % reach;
                m_inputs[edge] = static_cast<std::uint32_t>(node - back);
                m_lastUse[node - back] = static_cast<std::uint32_t>(node);
            }
        }
        m_first[nodes] = static_cast<std::uint32_t>(2 * nodes);
    }

    /// Returns the peak.
    std::int64_t run()
    {
        std::int64_t alive = 0;
        std::int64_t peak = 0;
        for (std::size_t node = 0; node < m_bytes.size(); ++node) {
            alive += m_bytes[node];
            m_alive[node] = alive;
            peak = std::max(peak, alive);
            for (std::uint32_t edge = m_first[node]; edge < m_first[node + 1]; ++edge) {
                const std::uint32_t input = m_inputs[edge];
                // Without a branch, since it would be unpredictable.
                alive -= m_bytes[input] & -static_cast<std::int64_t>(m_lastUse[input] == node);
            }
        }
        return peak;
    }

private:
    std::vector<std::uint32_t> m_first;
    std::vector<std::uint32_t> m_inputs;
    std::vector<std::uint32_t> m_lastUse;
    std::vector<std::int64_t> m_bytes;
    std::vector<std::int64_t> m_alive;
};

} // namespace plimsoll::bench
