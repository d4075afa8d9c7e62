// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/region_space.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace plimsoll::solve {

namespace {

/// The regions of another space, minus some.
class RegionsWithout final : public RegionSpace
{
public:
    using LeavesOut = std::function<bool(graph::OpIndex first, graph::OpIndex last)>;

    RegionsWithout(std::unique_ptr<const RegionSpace> all, LeavesOut leavesOut)
        : m_all{std::move(all)}, m_leavesOut{std::move(leavesOut)}
    {
    }

    [[nodiscard]] plan::Granularity granularity() const override { return m_all->granularity(); }
    [[nodiscard]] std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const override
    {
        std::vector<graph::OpIndex> ends = m_all->endsFrom(first);
        std::erase_if(ends, [&](graph::OpIndex last) { return m_leavesOut(first, last); });
        return ends;
    }
    [[nodiscard]] std::vector<graph::CallId> members(graph::OpIndex first,
                                                     graph::OpIndex last) const override
    {
        return m_leavesOut(first, last) ? std::vector<graph::CallId>{}
                                        : m_all->members(first, last);
    }

private:
    std::unique_ptr<const RegionSpace> m_all;
    LeavesOut m_leavesOut;
};

/// Excludes regions of several calls that contain a unit hooked by fully_shard().
std::unique_ptr<const RegionSpace> withoutUnits(std::unique_ptr<const RegionSpace> all,
                                                const plan::Problem& problem)
{
    const graph::Program& program = *problem.step();
    std::set<std::string> paths;
    for (const plan::ShardUnit& unit : problem.parallel->units)
        if (!unit.isRoot)
            paths.insert(unit.path);
    std::vector<bool> isUnit; // by call
    for (const graph::Call& call : program.calls)
        isUnit.push_back(paths.contains(program.module(call.module).path));
    const RegionSpace& calls = *all;
    return std::make_unique<RegionsWithout>(
        std::move(all), [&calls, isUnit = std::move(isUnit)](auto first, auto last) {
            const std::vector<graph::CallId> members = calls.members(first, last);
            return members.size() > 1 && std::ranges::any_of(members, [&](graph::CallId call) {
                       return isUnit[call.index()];
                   });
        });
}

} // namespace

std::unique_ptr<const RegionSpace> makeRegionSpace(const plan::Problem& problem,
                                                   plan::Granularity granularity)
{
    std::vector<graph::OpIndex> kept;
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Keep)
            for (const graph::StorageId storage : pin.storages)
                kept.push_back(problem.step()->storage(storage).alloc);
    std::unique_ptr<const RegionSpace> all = makeRegionSpace(*problem.step(), granularity);
    if (problem.parallel && !problem.parallel->units.empty()
        && granularity == plan::Granularity::Module)
        all = withoutUnits(std::move(all), problem);
    if (kept.empty())
        return all;
    std::ranges::sort(kept);
    return std::make_unique<RegionsWithout>(
        std::move(all), [kept = std::move(kept)](auto first, auto last) {
            const auto next = std::ranges::lower_bound(kept, first);
            return next != kept.end() && *next <= last;
        });
}

base::Result<void> takesRegions(const graph::Program& program)
{
    if (program.isRewritten())
        return base::failure(base::ErrorKind::Usage,
                             "The graph is a plan written out, which can't have checkpoint "
                             "regions: plan the graph that it was made from, or let remat or "
                             "capuchin recompute more of its ops in runtime step.");
    return {};
}

} // namespace plimsoll::solve
