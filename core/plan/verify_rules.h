// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/verify_faults.h"
#include "core/plan/verify_regions.h"

#include <algorithm>
#include <vector>

namespace plimsoll::plan::verifying {

/// What the rules for regions of modules and for regions of ops have in common: the recorded step,
/// and the way from region to region.
class RegionRules
{
public:
    RegionRules(const RegionRules&) = delete;
    RegionRules& operator=(const RegionRules&) = delete;
    RegionRules(RegionRules&&) = delete;
    RegionRules& operator=(RegionRules&&) = delete;

protected:
    explicit RegionRules(const graph::Program& program)
        : m_program{program}
        , m_end{static_cast<graph::Moment>(program.forwardCount())}
        , m_python{pythonHolds(program)}
        , m_faults{program}
    {
    }
    virtual ~RegionRules() = default;

    /// Siblings come one after the other; each is checked, and so are the regions in it.
    void checkSiblings(const std::vector<Region>& regions, const Region* parent)
    {
        graph::Moment before = graph::kBeforeStep - 1; // so that a region before op 0 is told so
        for (const Region& region : regions) {
            if (region.first <= before)
                m_faults.add(region,
                             fmt::format("starts at op {}, inside or before its sibling that "
                                         "ends at op {}",
                                         region.first, before));
            before = std::max(before, region.last);
            if (!checkShape(region, parent))
                continue; // the other rules need ops that exist
            checkContent(region);
            checkSiblings(region.nested, &region);
        }
    }

    [[nodiscard]] graph::StorageId storageOf(graph::TensorId tensor) const
    {
        return m_program.tensor(tensor).storage;
    }

    const graph::Program& m_program;
    graph::Moment m_end;                 ///< first op of backward
    std::vector<graph::Moment> m_python; ///< as recorded
    FaultList m_faults;

private:
    /// Whether the region is one at all.
    [[nodiscard]] virtual bool checkShape(const Region& region, const Region* parent) = 0;
    /// Whether running it again computes the same.
    virtual void checkContent(const Region& region) = 0;
};

} // namespace plimsoll::plan::verifying
