// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/region_space.h"

namespace plimsoll::solve {

/// Legal regions between ops (REGIONS AT OP GRANULARITY in core/plan/LIFETIMES.md): from each op on
/// all runs up to a longest one.
class OpRegionFinder final : public RegionSpace
{
public:
    explicit OpRegionFinder(const graph::Program& program);

    [[nodiscard]] plan::Granularity granularity() const override { return plan::Granularity::Op; }
    [[nodiscard]] std::vector<graph::Moment> endsFrom(graph::Moment first) const override;
    [[nodiscard]] std::vector<graph::CallId> members(graph::Moment /*first*/,
                                                     graph::Moment /*last*/) const override
    {
        return {};
    }

private:
    graph::Moment m_first = 0;
    std::vector<graph::Moment> m_barrier;   ///< by op of the model, from m_first on: the first op
    std::vector<graph::Moment> m_unwritten; ///< newestUnwritten()
    std::vector<bool> m_isEnd;              ///< by op of the call: a region may end there
                                            ///< that a region beginning here can't hold
};

} // namespace plimsoll::solve
