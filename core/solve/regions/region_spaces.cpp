// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/region_finder.h"
#include "core/solve/regions/region_space.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace plimsoll::solve {

namespace {

/// Another space's regions without those that have one of some ops inside.
class RegionsAround final : public RegionSpace
{
public:
    /// `avoided`: rising.
    RegionsAround(std::unique_ptr<const RegionSpace> all, std::vector<graph::OpIndex> avoided)
        : m_all{std::move(all)}, m_avoided{std::move(avoided)}
    {
    }

    [[nodiscard]] plan::Granularity granularity() const override { return m_all->granularity(); }
    [[nodiscard]] std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const override
    {
        std::vector<graph::OpIndex> ends = m_all->endsFrom(first);
        std::erase_if(ends, [&](graph::OpIndex last) { return !mayBe(first, last); });
        return ends;
    }
    [[nodiscard]] std::vector<graph::CallId> members(graph::OpIndex first,
                                                     graph::OpIndex last) const override
    {
        return mayBe(first, last) ? m_all->members(first, last) : std::vector<graph::CallId>{};
    }

private:
    [[nodiscard]] bool mayBe(graph::OpIndex first, graph::OpIndex last) const
    {
        const auto next = std::ranges::lower_bound(m_avoided, first);
        return next == m_avoided.end() || *next > last;
    }

    std::unique_ptr<const RegionSpace> m_all;
    std::vector<graph::OpIndex> m_avoided;
};

/// Another space's regions without those of several calls in which fully_shard() hooks one.
class RegionsOfUnits final : public RegionSpace
{
public:
    RegionsOfUnits(std::unique_ptr<const RegionSpace> all, const plan::Problem& problem)
        : m_all{std::move(all)}, m_isUnit(problem.step()->calls.size(), false)
    {
        std::set<std::string> paths;
        for (const plan::ShardUnit& unit : problem.parallel->units)
            if (!unit.isRoot)
                paths.insert(unit.path);
        for (std::size_t call = 0; call < m_isUnit.size(); ++call)
            m_isUnit[call] =
                paths.contains(problem.step()->module(problem.step()->calls[call].module).path);
    }

    [[nodiscard]] plan::Granularity granularity() const override { return m_all->granularity(); }
    [[nodiscard]] std::vector<graph::OpIndex> endsFrom(graph::OpIndex first) const override
    {
        std::vector<graph::OpIndex> ends = m_all->endsFrom(first);
        std::erase_if(ends, [&](graph::OpIndex last) { return members(first, last).empty(); });
        return ends;
    }
    [[nodiscard]] std::vector<graph::CallId> members(graph::OpIndex first,
                                                     graph::OpIndex last) const override
    {
        std::vector<graph::CallId> calls = m_all->members(first, last);
        if (calls.size() > 1 && std::ranges::any_of(calls, [this](graph::CallId call) {
                return m_isUnit[call.index()];
            }))
            calls.clear();
        return calls;
    }

private:
    std::unique_ptr<const RegionSpace> m_all;
    std::vector<bool> m_isUnit; ///< by call
};

} // namespace

std::unique_ptr<const RegionSpace> makeRegionSpace(const graph::Program& program,
                                                   plan::Granularity granularity)
{
    if (granularity == plan::Granularity::Op)
        return std::make_unique<OpRegionFinder>(program);
    return std::make_unique<RegionFinder>(program);
}

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
        all = std::make_unique<RegionsOfUnits>(std::move(all), problem);
    if (kept.empty())
        return all;
    std::ranges::sort(kept);
    return std::make_unique<RegionsAround>(std::move(all), std::move(kept));
}

base::Result<void> takesRegions(const graph::Program& program)
{
    if (program.isRewritten())
        return base::failure(base::ErrorKind::Usage,
                             "The graph is a plan written out, a step of single ops, over which no "
                             "regions can be laid: plan the graph that it was made from, or let "
                             "remat or capuchin repeat more of its ops in runtime step.");
    return {};
}

} // namespace plimsoll::solve
