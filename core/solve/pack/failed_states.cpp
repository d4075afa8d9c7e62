// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/failed_states.h"

namespace plimsoll::solve {

namespace {

// The only form GCC lets pass.
__extension__ typedef unsigned __int128 Wide; // NOLINT(modernize-use-using)

} // namespace

std::uint64_t wasteProduct(std::uint64_t a, std::uint64_t b)
{
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t sum = static_cast<std::uint64_t>(product & kWastePrime)
                              + static_cast<std::uint64_t>(product >> 61U);
    return sum >= kWastePrime ? sum - kWastePrime : sum;
}

void FailedStates::reset(std::size_t places)
{
    std::size_t size = 1;
    while (size < places)
        size *= 2;
    m_places.assign(size, {});
}

bool FailedStates::contains(const StateKey& key) const
{
    return m_places[placeOf(key)] == key && key != StateKey{};
}

void FailedStates::insert(const StateKey& key)
{
    m_places[placeOf(key)] = key;
}

} // namespace plimsoll::solve
