// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

#include <memory>
#include <vector>

namespace plimsoll::solve {

/// The legal regions of forward ops at one granularity.
class RegionSpace
{
public:
    RegionSpace() = default;
    RegionSpace(const RegionSpace&) = delete;
    RegionSpace& operator=(const RegionSpace&) = delete;
    RegionSpace(RegionSpace&&) = delete;
    RegionSpace& operator=(RegionSpace&&) = delete;
    virtual ~RegionSpace() = default;

    [[nodiscard]] virtual plan::Granularity granularity() const = 0;
    /// The last ops, rising, of all legal regions that begin with this op.
    [[nodiscard]] virtual std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const = 0;
    /// The calls of which a legal region consists; empty if it doesn't consist of calls or isn't
    /// legal.
    [[nodiscard]] virtual std::vector<graph::CallId> members(graph::OpIndex first,
                                                             graph::OpIndex last) const = 0;
    /// A region of these ops, with its members.
    [[nodiscard]] plan::Region region(graph::OpIndex first, graph::OpIndex last) const
    {
        return {members(first, last), first, last, 0, {}};
    }
};

/// `program` must outlive it.
[[nodiscard]] std::unique_ptr<const RegionSpace> makeRegionSpace(const graph::Program& program,
                                                                 plan::Granularity granularity);
/// Excludes regions that recompute what the problem's pins keep, or that lose hooks of
/// fully_shard().
[[nodiscard]] std::unique_ptr<const RegionSpace> makeRegionSpace(const plan::Problem& problem,
                                                                 plan::Granularity granularity);

/// Usage error, a sentence, for a graph that can't have regions of any kind: a plan written out.
[[nodiscard]] base::Result<void> takesRegions(const graph::Program& program);

} // namespace plimsoll::solve
