// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace plimsoll::base {

/// How much of a large array to prefault() and fill at a time, so that it is still in the cache.
inline constexpr std::size_t kPrefaultedPiece = std::size_t{1} << 20U;

/// Has the kernel back memory that is filled next, all of it at once: page by page, as it is first
/// touched, takes half as long again. Only a hint.
void prefault(void* begin, std::size_t bytes);

template <typename Value>
[[nodiscard]] std::vector<Value> prefaultedZeros(std::size_t count)
{
    std::vector<Value> zeros;
    zeros.reserve(count);
    prefault(zeros.data(), count * sizeof(Value));
    zeros.resize(count);
    return zeros;
}

} // namespace plimsoll::base
