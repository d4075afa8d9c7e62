// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/region_space.h"

#include <vector>

namespace plimsoll::solve {

/// The regions that a problem's pins "recompute" ask for: around each pinned value the shortest
/// legal one behind which forward has no use for it.
class ForcedRegions
{
public:
    /// `space` must hold the problem's regions and outlive this. Where no region serves a value
    /// there is none.
    ForcedRegions(const plan::Problem& problem, const RegionSpace& space);

    /// Puts those that lie in no region of the list into it. Of what they overlap the part in front
    /// and the part behind stay, where those are legal. `regions`: disjoint; in order
    /// afterwards, and labelled so.
    void addTo(std::vector<plan::Region>& regions) const;

private:
    void addRest(std::vector<plan::Region>& rest, const plan::Region& whole,
                 const plan::Region& forced) const;

    const RegionSpace& m_space;
    std::vector<plan::Region> m_regions; ///< disjoint, in order
};

} // namespace plimsoll::solve
