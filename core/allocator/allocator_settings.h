// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace plimsoll::allocator {

/// What PYTORCH_CUDA_ALLOC_CONF sets, as far as it changes what is reserved.
/// https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf
struct AllocatorSettings
{
    bool expandableSegments = false;
    /// Blocks from this size on are not split, and are given for requests of this size on only.
    base::Bytes maxSplitSize{std::numeric_limits<std::int64_t>::max()};
    /// By how much such a block may exceed its request.
    base::Bytes maxNonSplitRounding{std::int64_t{20} << 20};
    /// Into how many parts the range between two powers of two is divided when a request is rounded
    /// up; 0 or 1: requests are rounded to 512 bytes only. For requests below 2 MiB, from 2, 4,
    /// ..., 32768 MiB on.
    std::array<std::int64_t, 16> roundupDivisions{};

    bool operator==(const AllocatorSettings&) const = default;
};

/// "expandable_segments:True,max_split_size_mb:128"; "" gives the defaults. Options that don't
/// change what is reserved are accepted; garbage_collection_threshold and backend:cudaMallocAsync,
/// which would, are errors (Usage), and so is what PyTorch doesn't know.
[[nodiscard]] base::Result<AllocatorSettings> parseAllocatorSettings(std::string_view text);

/// The text with expandable_segments set to True, or without that option.
[[nodiscard]] std::string withExpandableSegments(std::string_view text, bool expandable);

} // namespace plimsoll::allocator
