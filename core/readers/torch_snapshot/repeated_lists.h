// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/pickle_value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// What lists became that were filled with memo entries only, by the bytes that did it. Recordings
/// have a list of frames for each event, but few different ones: comparing bytes is several times
/// as fast as executing them.
class RepeatedLists
{
public:
    struct Match
    {
        std::size_t size = 0; ///< bytes, APPENDS included; 0: none
        std::uint32_t stack = 0;
    };

    /// `bytes` follow the MARK.
    [[nodiscard]] Match find(std::string_view bytes);
    /// `bytes`: from behind the MARK to behind APPENDS. Kept if they only get memo entries.
    void add(std::string_view bytes, std::uint32_t stack);
    /// Memo entries have changed.
    void clear();

    [[nodiscard]] std::size_t memoryBytes() const { return m_bytes.capacity(); }

private:
    static constexpr std::size_t kBuckets = 4096;
    static constexpr std::size_t kWays = 8; ///< lists that begin alike
    static constexpr std::size_t kKey = 16; ///< bytes
    static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;

    struct Entry
    {
        std::uint32_t begin = 0; ///< in m_bytes
        std::uint32_t size = 0;  ///< 0: no entry
        std::uint32_t stack = 0;
    };
    using Bucket = std::array<Entry, kWays>; ///< the last used first

    [[nodiscard]] Bucket& bucketOf(std::string_view bytes);

    std::vector<Bucket> m_buckets;
    std::string m_bytes;
};

} // namespace plimsoll::readers::torch_snapshot
