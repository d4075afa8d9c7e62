// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/capuchin/capuchin.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace plimsoll::solve {

namespace {

using Indices = std::vector<std::uint32_t>; ///< rising, each once

Indices unionOf(const Indices& a, const Indices& b)
{
    Indices both;
    both.reserve(a.size() + b.size());
    std::ranges::set_union(a, b, std::back_inserter(both));
    return both;
}

bool contains(const Indices& indices, std::uint32_t index)
{
    return std::ranges::binary_search(indices, index);
}

double timeOf(const CapuchinGraph& graph, const Indices& ops)
{
    double time = 0;
    for (const std::uint32_t op : ops)
        time += graph.times[op];
    return time;
}

/// Values that take no time to recompute first, by size; then by memory saved per time.
bool isBetter(const CapuchinPick& a, const CapuchinPick& b)
{
    const bool isFree = a.recomputeTime <= 0;
    if (isFree != (b.recomputeTime <= 0))
        return isFree;
    return isFree ? a.bytes > b.bytes : a.msps > b.msps;
}

} // namespace

CapuchinChooser::CapuchinChooser(const CapuchinGraph& graph)
    : m_graph{graph}
    , m_lineages(graph.values.size())
    , m_isChosen(graph.values.size(), false)
    , m_dependents(graph.values.size(), 0)
{
    for (std::uint32_t value = 0; value < graph.values.size(); ++value)
        if (graph.values[value].isCandidate)
            trace(value);
}

/// Walks back from a value to other candidates and to values that are always in memory.
void CapuchinChooser::trace(std::uint32_t value)
{
    std::set<std::uint32_t> ops;
    std::set<std::uint32_t> made{value};
    std::set<std::uint32_t> sources;
    Indices open{value};
    while (!open.empty()) {
        const CapuchinValue& next = m_graph.values[open.back()];
        open.pop_back();
        ops.insert(next.ops.begin(), next.ops.end());
        for (const std::uint32_t read : next.reads) {
            if (m_graph.values[read].ops.empty() || made.contains(read))
                continue;
            if (m_graph.values[read].isCandidate)
                sources.insert(read);
            else if (made.insert(read).second)
                open.push_back(read);
        }
    }
    CapuchinLineage& lineage = m_lineages[value];
    lineage.sources.assign(sources.begin(), sources.end());
    lineage.ops.assign(ops.begin(), ops.end());
    lineage.time = timeOf(m_graph, lineage.ops);
}

CapuchinPick CapuchinChooser::rate(std::uint32_t value) const
{
    CapuchinPick pick{value, m_graph.values[value].bytes, 1 + m_dependents[value],
                      m_lineages[value].time, std::numeric_limits<double>::infinity()};
    if (pick.recomputeTime > 0)
        pick.msps = static_cast<double>(pick.bytes) / (pick.multiplicity * pick.recomputeTime);
    return pick;
}

std::optional<std::uint32_t> CapuchinChooser::best(const std::vector<bool>& isEligible) const
{
    std::optional<CapuchinPick> best;
    for (std::uint32_t value = 0; value < m_graph.values.size(); ++value) {
        const CapuchinValue& candidate = m_graph.values[value];
        if (!candidate.isCandidate || candidate.bytes <= 0 || m_isChosen[value]
            || !isEligible[value])
            continue;
        if (const CapuchinPick pick = rate(value); !best || isBetter(pick, *best))
            best = pick;
    }
    return best ? std::optional{best->value} : std::nullopt;
}

CapuchinPick CapuchinChooser::choose(std::uint32_t value)
{
    const CapuchinPick pick = rate(value);
    m_isChosen[value] = true;
    for (std::uint32_t other = 0; other < m_graph.values.size(); ++other)
        if (other != value && contains(m_lineages[other].sources, value))
            fold(value, other);
    for (const std::uint32_t source : m_lineages[value].sources)
        ++m_dependents[source];
    return pick;
}

/// Replaces the source `chosen` of `value` by the lineage of `chosen`.
void CapuchinChooser::fold(std::uint32_t chosen, std::uint32_t value)
{
    const CapuchinLineage& through = m_lineages[chosen];
    CapuchinLineage& lineage = m_lineages[value];
    if (m_isChosen[value])
        for (const std::uint32_t source : through.sources)
            if (source != value && !contains(lineage.sources, source))
                ++m_dependents[source];
    lineage.sources = unionOf(lineage.sources, through.sources);
    std::erase(lineage.sources, chosen);
    std::erase(lineage.sources, value); // if both overwrite each other's inputs
    lineage.ops = unionOf(lineage.ops, through.ops);
    lineage.time = timeOf(m_graph, lineage.ops);
}

std::optional<std::vector<plan::RecomputeStep>> reduced(const CapuchinGraph& graph,
                                                        const Indices& chosen,
                                                        const std::vector<bool>& isLost,
                                                        const Remake& remake)
{
    std::vector<bool> isGone = isLost;
    std::map<graph::OpIndex, Indices> wantedAt;
    for (const std::uint32_t value : chosen) {
        isGone[value] = true;
        wantedAt[graph.values[value].firstBackward].push_back(value);
    }
    std::vector<plan::RecomputeStep> rows;
    for (auto& [rank, wanted] : wantedAt) {
        std::erase_if(wanted, [&isGone](std::uint32_t value) { return !isGone[value]; });
        if (wanted.empty())
            continue;
        std::optional<std::vector<graph::OpId>> ops = remake(rank, wanted, isGone);
        if (!ops)
            return std::nullopt;
        for (const std::uint32_t value : chosen)
            if (std::ranges::binary_search(*ops, graph::OpId{graph.values[value].ops.front()}))
                isGone[value] = false;
        rows.push_back({rank, *std::move(ops)});
    }
    return rows;
}

} // namespace plimsoll::solve
