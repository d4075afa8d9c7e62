// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::base {

/// Random numbers that are the same on every platform and library (splitmix64).
class Random
{
public:
    explicit Random(std::uint64_t seed) : m_state{seed} {}

    [[nodiscard]] std::uint64_t next()
    {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    /// Uniform in 0 … count - 1.
    [[nodiscard]] std::size_t below(std::size_t count)
    {
        return static_cast<std::size_t>(next() % count);
    }
    /// Uniform in 0 <= x < 1.
    [[nodiscard]] double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
    std::uint64_t m_state;
};

} // namespace plimsoll::base
