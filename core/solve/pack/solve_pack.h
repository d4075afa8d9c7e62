// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/solve/api/status.h"
#include "core/solve/pack/packing.h"

#include <optional>

namespace plimsoll::solve {

struct PackQuery
{
    std::optional<std::int64_t> capacity; ///< done once that is met; else the height is minimised
    int threads = 2;                      ///< at least 1; the answer doesn't depend on them
    std::size_t nodes = 100000;           ///< of each exact search, at most
    int passes = 40;                      ///< of the greedy orders, at most
    std::uint64_t mostWork = 500'000'000; ///< buffers that these place and meet, about
};

struct PackAnswer
{
    Status status = Status::NotFound;
    std::int64_t height = 0; ///< of the offsets, checked
    std::int64_t lowerBound = 0;
    PackOffsets offsets; ///< the lowest packing known, also where it doesn't fit
    bool stopped = false;
};

/// Offsets for buffers, as low as the search gets: decomposed at low-water cuts, each part in
/// greedy orders, then by an exact search where that is too high. Anytime: stopped, it answers with
/// what it has. Usage for bad buffers; Internal where the packing fails the check.
[[nodiscard]] base::Result<PackAnswer> solvePack(const PackBuffers& buffers, const PackQuery& query,
                                                 const base::JobContext& context);

} // namespace plimsoll::solve
