// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::io {

/// A 64-bit hash as 16 hexadecimal digits, equal on every machine and in every version: sessions
/// use it to recognise a graph. It doesn't protect against deliberate collisions.
[[nodiscard]] std::string contentHash(std::string_view bytes);

/// Such a hash for content that is too large to be in memory as a whole. The same for parts of any
/// size, but not that of contentHash(); faster than memory is read.
class PartsHash
{
public:
    void add(std::string_view part);
    [[nodiscard]] std::string text() const;

private:
    static constexpr std::size_t kLanes = 4;
    static constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);

    void addBlocks(std::string_view blocks);

    std::array<std::uint64_t, kLanes> m_lanes{1, 2, 3, 4};
    std::string m_rest; ///< less than a block
    std::uint64_t m_size = 0;
};

} // namespace plimsoll::io
