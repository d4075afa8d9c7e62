// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

#include <memory>
#include <vector>

namespace plimsoll::solve {

/// Knows which runs of forward ops are legal regions at one granularity.
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
    /// The calls that a legal region is made of; empty: it isn't made of calls, or isn't legal.
    [[nodiscard]] virtual std::vector<graph::CallId> members(graph::OpIndex first,
                                                             graph::OpIndex last) const = 0;
};

} // namespace plimsoll::solve
