// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/byte_source.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::readers {

/// How much memory reading a profile may take, so that a file made to exhaust it is refused: with
/// what the program takes anyhow, no more than four times the file and 256 MiB.
struct MemoryBound
{
    std::uint64_t perByte;   ///< of the content
    std::uint64_t freeBytes; ///< however short the content is

    static constexpr std::uint64_t kPerStoredByte = 4; ///< of a compressed file
    /// Vectors take three times as much for a moment while they grow.
    static constexpr std::uint64_t kStoredFreeBytes = std::uint64_t{64} << 20U;

    /// `fed`: bytes of the content so far, decompressed.
    [[nodiscard]] constexpr std::uint64_t most(std::uint64_t fed, const io::FileFacts& file) const
    {
        const std::uint64_t most = perByte * fed + freeBytes;
        return file.compressed ? std::min(most, kPerStoredByte * file.size + kStoredFreeBytes)
                               : most;
    }

    /// The end of a sentence on a file that needs more. `what`: "a snapshot".
    [[nodiscard]] static std::string refusal(std::string_view what, const io::FileFacts& file)
    {
        std::string text = "takes more memory than " + std::string{what} + " of its size can need";
        text += file.compressed ? "; if you know where it comes from, decompress it first"
                                : "; it is damaged, or made to exhaust the memory";
        return text;
    }
};

} // namespace plimsoll::readers
