// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/top_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

std::vector<ChainFrontierPoint> TopRow::frontier() const
{
    std::vector<ChainFrontierPoint> points;
    const std::int64_t last = scale.rounded ? scale.slots - scale.sizes.x[0] : scale.slots;
    for (std::int64_t m = 0; m <= last; ++m)
        if (time[m] < kInfinity
            && (points.empty() || time[m] * kEqualTimes < points.back().makespan))
            points.push_back({scale.budgetOf(m), time[m]});
    return points;
}

Result<Sequence> TopRow::sequenceAtSlots(std::int64_t slots) const
{
    if (slots < 0 || slots > scale.slots || !(time[slots] < kInfinity))
        return failure(ErrorKind::NotFound, fmt::format("No schedule fits into {} slots.", slots));
    return walk(slots);
}

Result<Sequence> TopRow::firstThatFits(const Chain& chain, std::int64_t budget) const
{
    const std::int64_t slots = scale.slotsFor(budget);
    const std::int64_t from = std::min<std::int64_t>(slots + scale.spare, scale.slots);
    for (std::int64_t m = from; m >= 0 && time[m] < kInfinity; --m) {
        if (m > slots && time[m - 1] <= time[m] * kEqualTimes)
            continue; // the same time for less
        Sequence sequence = walk(m);
        const Result<Simulation> run = simulate(chain, sequence);
        if (!run)
            return failure(ErrorKind::Internal, run.error().message);
        if (run->peak <= budget)
            return sequence;
    }
    return failure(ErrorKind::NotFound, fmt::format("No schedule fits into {}.", budget));
}

} // namespace plimsoll::solve
