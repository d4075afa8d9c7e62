// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::solve {

/// 125 random bits of a state: what is left to be placed, and the room wasted at each time.
struct StateKey
{
    std::uint64_t items = 0;
    std::uint64_t waste = 0; ///< modulo kWastePrime

    bool operator==(const StateKey&) const = default;
};

inline constexpr std::uint64_t kWastePrime = (std::uint64_t{1} << 61U) - 1;

/// Random 64 bits of a number.
[[nodiscard]] inline std::uint64_t randomBits(std::uint64_t number)
{
    std::uint64_t z = (number + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

/// a * b modulo kWastePrime; both below it.
[[nodiscard]] std::uint64_t wasteProduct(std::uint64_t a, std::uint64_t b);

/// States from which there is no packing. A fixed number of places, newer ones drive out older
/// ones.
class FailedStates
{
public:
    /// Empties it; at most `places` are kept, rounded up to a power of two.
    void reset(std::size_t places);
    [[nodiscard]] bool contains(const StateKey& key) const;
    void insert(const StateKey& key);

private:
    [[nodiscard]] std::size_t placeOf(const StateKey& key) const
    {
        return (key.items ^ key.waste * 0x9E3779B97F4A7C15ULL) & (m_places.size() - 1);
    }

    std::vector<StateKey> m_places; ///< the key 0, 0 means that nothing is left: it never fails
};

} // namespace plimsoll::solve
