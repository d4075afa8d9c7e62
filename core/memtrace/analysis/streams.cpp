// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/streams.h"

#include <algorithm>
#include <unordered_map>

namespace plimsoll::memtrace {

std::vector<std::size_t> streamNumbers(const DeviceTrace& device)
{
    std::unordered_map<std::uint64_t, std::size_t> numbers{{0, 0}};
    std::vector<std::size_t> ofPlaces;
    ofPlaces.reserve(device.places().size());
    for (const Place& place : device.places())
        ofPlaces.push_back(numbers.try_emplace(place.stream, numbers.size()).first->second);
    return ofPlaces;
}

std::size_t streamNumber(const DeviceTrace& device, std::uint64_t stream)
{
    const auto at = std::ranges::find(device.places(), stream, &Place::stream);
    return at == device.places().end() || stream == 0
               ? 0
               : streamNumbers(device)[static_cast<std::size_t>(at - device.places().begin())];
}

} // namespace plimsoll::memtrace
