// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/chen.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace plimsoll::solve {

std::vector<StageRun> chenRuns(const std::vector<std::int64_t>& kept, std::int64_t limit)
{
    std::vector<StageRun> runs;
    std::int64_t sum = 0;
    std::size_t first = 0;
    for (std::size_t stage = 0; stage < kept.size(); ++stage) {
        sum += kept[stage];
        if (sum <= limit && stage + 1 < kept.size())
            continue;
        runs.push_back({first, stage + 1});
        first = stage + 1;
        sum = 0;
    }
    return runs;
}

std::vector<std::vector<StageRun>> everyChenDivision(const std::vector<std::int64_t>& kept)
{
    std::vector<std::vector<StageRun>> all;
    for (std::int64_t limit = 0;;) {
        std::vector<StageRun> runs = chenRuns(kept, limit);
        // As long as no run's own sum is within the limit, nothing changes.
        std::int64_t next = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
            const auto at = [&kept](std::size_t stage) {
                return kept.begin() + static_cast<std::ptrdiff_t>(stage);
            };
            next = std::min(next,
                            std::accumulate(at(runs[i].first), at(runs[i].end), std::int64_t{0}));
        }
        const bool isLast = runs.size() <= 1;
        all.push_back(std::move(runs));
        if (isLast)
            return all;
        limit = next;
    }
}

} // namespace plimsoll::solve
