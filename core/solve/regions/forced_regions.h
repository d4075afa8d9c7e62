// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/region_space.h"

#include <vector>

namespace plimsoll::solve {

/// The regions required by a problem's "recompute" pins: around each pinned value, the shortest
/// legal one after which forward doesn't use the value.
class ForcedRegions
{
public:
    /// `space` must contain the problem's regions and outlive this. A value that no region can drop
    /// gets none.
    ForcedRegions(const plan::Problem& problem, const RegionSpace& space);

    /// Adds the regions that no region of the list contains. Parts of overlapped regions before and
    /// after them stay if they are legal. `regions`: disjoint; afterwards in order and labelled
    /// accordingly.
    void addTo(std::vector<plan::Region>& regions) const;

private:
    void addRest(std::vector<plan::Region>& rest, const plan::Region& whole,
                 const plan::Region& forced) const;

    const RegionSpace& m_space;
    std::vector<plan::Region> m_regions; ///< disjoint, in order
};

} // namespace plimsoll::solve
