// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/region_space.h"

namespace plimsoll::solve {

/// Legal regions between ops (REGIONS AT OP GRANULARITY in core/lower/checkpoint/LIFETIMES.md):
/// from each op on all runs up to a longest one.
class OpRegionFinder final : public RegionSpace
{
public:
    explicit OpRegionFinder(const graph::Program& program);

    [[nodiscard]] plan::Granularity granularity() const override { return plan::Granularity::Op; }
    [[nodiscard]] std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const override;
    [[nodiscard]] std::vector<graph::CallId> members(graph::OpIndex /*first*/,
                                                     graph::OpIndex /*last*/) const override
    {
        return {};
    }

private:
    graph::OpIndex m_first = 0;
    std::vector<graph::OpIndex> m_barrier;   ///< by op of the model, from m_first on: the first op
    std::vector<graph::OpIndex> m_unwritten; ///< newestUnwritten()
    std::vector<bool> m_isEnd;               ///< by op of the call: a region may end there
                                             ///< that a region beginning here can't hold
};

} // namespace plimsoll::solve
