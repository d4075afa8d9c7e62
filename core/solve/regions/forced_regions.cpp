// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/forced_regions.h"

#include "core/solve/regions/savable.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::solve {

namespace {

using graph::OpIndex;

/// A range of ops.
struct Run
{
    OpIndex first = 0;
    OpIndex last = 0;

    [[nodiscard]] bool holds(const Run& other) const
    {
        return first <= other.first && other.last <= last;
    }
    [[nodiscard]] bool meets(const Run& other) const
    {
        return first <= other.last && other.first <= last;
    }
};

Run runOf(const plan::Region& region)
{
    return {region.first, region.last};
}

/// For each value pinned to be recomputed: from its op to its last use in forward and loss.
std::vector<Run> pinnedRuns(const plan::Problem& problem)
{
    const graph::Program& program = *problem.step();
    const std::vector<OpIndex> lastUse = lastForwardUses(program);
    std::vector<Run> runs;
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Recompute)
            for (const graph::StorageId storage : pin.storages)
                runs.push_back({program.storage(storage).alloc, lastUse[storage.index()]});
    return runs;
}

/// Finds the shortest legal region around a run; queries the legal ends once per first op.
class Around
{
public:
    explicit Around(const RegionSpace& space) : m_space{space} {}

    [[nodiscard]] std::optional<Run> shortest(const Run& inside)
    {
        std::optional<Run> found;
        for (OpIndex first = inside.first; first >= 0; --first) {
            if (found && inside.last - first >= found->last - found->first)
                break; // only longer ones follow
            const std::vector<OpIndex>& ends = endsFrom(first);
            const auto end = std::ranges::lower_bound(ends, inside.last);
            if (end != ends.end() && (!found || *end - first < found->last - found->first))
                found = Run{first, *end};
        }
        return found;
    }

private:
    const std::vector<OpIndex>& endsFrom(OpIndex first)
    {
        const auto known = m_ends.find(first);
        return known != m_ends.end() ? known->second
                                     : m_ends.emplace(first, m_space.endsFrom(first)).first->second;
    }

    const RegionSpace& m_space;
    std::map<OpIndex, std::vector<OpIndex>> m_ends;
};

} // namespace

ForcedRegions::ForcedRegions(const plan::Problem& problem, const RegionSpace& space)
    : m_space{space}
{
    Around around{space};
    std::vector<Run> runs;
    for (const Run& inside : pinnedRuns(problem)) {
        if (std::ranges::any_of(runs, [&](const Run& run) { return run.holds(inside); }))
            continue;
        std::optional<Run> run = around.shortest(inside);
        // Widen it to contain every run that it overlaps; legal regions are calls and rarely
        // overlap.
        for (bool isWider = true; run && isWider;) {
            Run whole = *run;
            for (const Run& other : runs)
                if (whole.meets(other))
                    whole = {std::min(whole.first, other.first), std::max(whole.last, other.last)};
            isWider = !run->holds(whole);
            if (isWider)
                run = around.shortest(whole);
        }
        if (!run)
            continue;
        std::erase_if(runs, [&](const Run& other) { return run->holds(other); });
        runs.push_back(*run);
    }
    std::ranges::sort(runs, {}, &Run::first);
    for (const Run& run : runs)
        m_regions.push_back(m_space.region(run.first, run.last));
}

void ForcedRegions::addRest(std::vector<plan::Region>& rest, const plan::Region& whole,
                            const plan::Region& forced) const
{
    if (whole.first < forced.first) {
        const std::vector<OpIndex> ends = m_space.endsFrom(whole.first);
        const auto behind = std::ranges::lower_bound(ends, forced.first);
        if (behind != ends.begin())
            rest.push_back(m_space.region(whole.first, *std::prev(behind)));
    }
    if (whole.last > forced.last) {
        const std::vector<OpIndex> ends = m_space.endsFrom(forced.last + 1);
        if (std::ranges::binary_search(ends, whole.last))
            rest.push_back(m_space.region(forced.last + 1, whole.last));
    }
}

void ForcedRegions::addTo(std::vector<plan::Region>& regions) const
{
    for (const plan::Region& forced : m_regions) {
        const Run run = runOf(forced);
        if (std::ranges::any_of(
                regions, [&](const plan::Region& region) { return runOf(region).holds(run); }))
            continue;
        std::vector<plan::Region> rest{forced};
        for (const plan::Region& region : regions)
            if (runOf(region).meets(run))
                addRest(rest, region, forced);
            else
                rest.push_back(region);
        regions = std::move(rest);
    }
    std::ranges::sort(regions, {}, &plan::Region::first);
    for (std::size_t place = 0; place < regions.size(); ++place)
        regions[place].label = static_cast<int>(place);
}

} // namespace plimsoll::solve
