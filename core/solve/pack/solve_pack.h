// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/api/status.h"
#include "core/solve/pack/packing.h"

#include <optional>

namespace plimsoll::solve {

struct PackQuery
{
    std::optional<std::int64_t> capacity; ///< enough if met; none: minimise the height
    int threads = 2;                      ///< at least 1; the answer doesn't depend on it
    std::size_t nodes = 100000;           ///< at most, for each exact search
    int passes = 40;                      ///< at most, for the greedy orders
    std::uint64_t mostWork = 500'000'000; ///< number of buffers that these place and meet, roughly
};

struct PackAnswer
{
    Status status = Status::NotFound;
    std::int64_t height = 0; ///< of the offsets, checked
    std::int64_t lowerBound = 0;
    PackOffsets offsets; ///< the lowest known packing, even if it doesn't fit
    bool stopped = false;
};

/// Offsets for buffers, as low as the search finds: splits at low-water cuts, packs each part
/// greedily, then exactly if that is too high. Anytime: if stopped, it answers with what it has.
/// Usage error for invalid buffers; Internal if the packing fails the check.
[[nodiscard]] base::Result<PackAnswer> solvePack(const PackBuffers& buffers, const PackQuery& query,
                                                 const base::JobContext& context);

} // namespace plimsoll::solve
