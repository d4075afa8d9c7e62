// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/regions/region_space.h"

#include <memory>

namespace plimsoll::solve {

/// `program` must outlive it.
[[nodiscard]] std::unique_ptr<const RegionSpace> makeRegionSpace(const graph::Program& program,
                                                                 plan::Granularity granularity);
/// Without regions that recompute what the problem's pins keep, or that lose hooks of
/// fully_shard().
[[nodiscard]] std::unique_ptr<const RegionSpace> makeRegionSpace(const plan::Problem& problem,
                                                                 plan::Granularity granularity);

/// Usage error, a sentence, for a graph over which no region of any kind can be laid: a plan
/// written out.
[[nodiscard]] base::Result<void> takesRegions(const graph::Program& program);

} // namespace plimsoll::solve
