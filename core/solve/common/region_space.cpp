// SPDX-License-Identifier: Apache-2.0
#include "core/solve/common/region_space.h"

#include "core/solve/common/op_region_finder.h"
#include "core/solve/common/region_finder.h"

namespace plimsoll::solve {

std::unique_ptr<const RegionSpace> makeRegionSpace(const graph::Program& program,
                                                   plan::Granularity granularity)
{
    if (granularity == plan::Granularity::Op)
        return std::make_unique<OpRegionFinder>(program);
    return std::make_unique<RegionFinder>(program);
}

} // namespace plimsoll::solve
