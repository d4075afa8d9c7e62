// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/device_columns.h"

#include <cstddef>
#include <cstdint>

namespace plimsoll::memtrace {

/// Every bit of a number changes all bits of its hash. The tables take the lower bits of a hash,
/// and grow when too many are equal, but addresses and streams are multiples of powers of two.
[[nodiscard]] constexpr std::uint64_t mixedBits(std::uint64_t number)
{
    number ^= number >> 32U;
    number *= 0xd6e8feb86659fd93U;
    number ^= number >> 32U;
    number *= 0xd6e8feb86659fd93U;
    return number ^ number >> 32U;
}

struct AddressHash
{
    std::size_t operator()(std::uint64_t address) const { return mixedBits(address); }
};

struct PlaceHash
{
    std::size_t operator()(const Place& place) const
    {
        std::uint64_t hash = mixedBits(place.stream);
        for (const std::uint64_t part : place.pool)
            hash = mixedBits(hash + part);
        return hash;
    }
};

} // namespace plimsoll::memtrace
