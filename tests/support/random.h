// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::tests {

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
    /// Uniform in low … high, both included.
    [[nodiscard]] int between(int low, int high)
    {
        return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
    }
    [[nodiscard]] bool percent(int chance) { return between(0, 99) < chance; }

private:
    std::uint64_t m_state;
};

} // namespace plimsoll::tests
