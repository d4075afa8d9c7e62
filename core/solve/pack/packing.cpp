// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/packing.h"

#include "core/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::solve {

base::Result<void> validate(const PackBuffers& buffers)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const PackBuffer& buffer = buffers[i];
        if (buffer.lower >= buffer.upper)
            return base::failure(base::ErrorKind::Usage,
                                 fmt::format("buffer {} ends at {}, not after its begin {}.", i,
                                             buffer.upper, buffer.lower));
        if (buffer.size < 0)
            return base::failure(base::ErrorKind::Usage,
                                 fmt::format("buffer {} has the size {}.", i, buffer.size));
        if (buffer.size >= base::kHuge - sum)
            return base::failure(
                base::ErrorKind::Usage,
                fmt::format("the sizes up to buffer {} add up to 2^62 or more.", i));
        sum += buffer.size;
    }
    return {};
}

std::vector<std::pair<std::int64_t, std::int64_t>> liveChanges(const PackBuffers& buffers)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    changes.reserve(2 * buffers.size());
    for (const PackBuffer& buffer : buffers) {
        changes.emplace_back(buffer.lower, buffer.size);
        changes.emplace_back(buffer.upper, -buffer.size);
    }
    std::sort(changes.begin(), changes.end());
    return changes;
}

std::int64_t largestLiveSum(const PackBuffers& buffers)
{
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (const auto& [time, size] : liveChanges(buffers)) {
        live += size;
        most = std::max(most, live);
    }
    return most;
}

std::int64_t heightOf(const PackBuffers& buffers, const PackOffsets& offsets)
{
    std::int64_t height = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        height = std::max(height, buffers[i].size > 0 ? offsets[i] + buffers[i].size : 0);
    return height;
}

} // namespace plimsoll::solve
