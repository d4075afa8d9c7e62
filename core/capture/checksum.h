// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace plimsoll::capture::wire {

namespace detail {

inline constexpr std::size_t kSlices = 8;
using Slices = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// Tables for eight bytes at a time: slice i is that of a byte with i zero bytes behind it.
constexpr Slices makeSlices()
{
    constexpr std::uint32_t kPolynomial = 0xEDB88320U; // of CRC-32 (IEEE 802.3), bits reversed
    Slices slices{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t sum = byte;
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? kPolynomial : 0U);
        slices[0][byte] = sum;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice)
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = slices[slice - 1][byte];
            slices[slice][byte] = (before >> 8U) ^ slices[0][before & 0xFFU];
        }
    return slices;
}

inline constexpr Slices kTables = makeSlices();

} // namespace detail

/// CRC-32 of these bytes, continued from the sum of those before them (0 at the beginning): zlib's
/// crc32(). About 1.5 GB/s, so that the writer's thread takes no time from the program it records.
[[nodiscard]] inline std::uint32_t checksum(std::span<const std::byte> bytes,
                                            std::uint32_t before = 0)
{
    const detail::Slices& tables = detail::kTables;
    std::uint32_t sum = ~before;
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= detail::kSlices; left -= detail::kSlices, at += detail::kSlices) {
        std::uint64_t word = 0; // little-endian, as the whole format
        std::memcpy(&word, at, sizeof(word));
        word ^= sum;
        sum = 0;
        for (std::size_t i = 0; i < detail::kSlices; ++i)
            sum ^= tables[detail::kSlices - 1 - i][(word >> (8 * i)) & 0xFFU];
    }
    for (; left > 0; --left, ++at)
        sum = (sum >> 8U) ^ tables[0][(sum ^ std::to_integer<std::uint32_t>(*at)) & 0xFFU];
    return ~sum;
}

} // namespace plimsoll::capture::wire
