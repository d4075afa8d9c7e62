// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll::base {

/// Positions of equal values in two sequences, both rising.
using Aligned = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// What two sequences have in common in the same order: a longest common subsequence (Myers' O(ND)
/// algorithm) of pieces of at most kAlignedPiece values each, so that time and memory stay linear
/// for sequences that have little in common.
[[nodiscard]] Aligned alignSequences(std::span<const std::uint64_t> a,
                                     std::span<const std::uint64_t> b);
inline constexpr std::size_t kAlignedPiece = 1024;

} // namespace plimsoll::base
