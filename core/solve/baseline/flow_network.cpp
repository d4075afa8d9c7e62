// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/flow_network.h"

#include <algorithm>

namespace plimsoll::solve {

void FlowNetwork::addEdge(std::size_t from, std::size_t to, std::int64_t capacity)
{
    m_edgesOf[from].push_back(m_edges.size());
    m_edges.push_back({to, capacity});
    m_edgesOf[to].push_back(m_edges.size());
    m_edges.push_back({from, 0});
}

bool FlowNetwork::level(std::size_t source, std::size_t sink)
{
    m_level.assign(m_edgesOf.size(), -1);
    m_level[source] = 0;
    std::vector<std::size_t> reached{source};
    for (std::size_t at = 0; at < reached.size() && m_level[sink] < 0; ++at)
        for (const std::size_t index : m_edgesOf[reached[at]]) {
            const Edge& edge = m_edges[index];
            if (edge.left > 0 && m_level[edge.to] < 0) {
                m_level[edge.to] = m_level[reached[at]] + 1;
                reached.push_back(edge.to);
            }
        }
    return m_level[sink] >= 0;
}

/// Sends flow along one path of rising levels; returns 0 if there is none left.
std::int64_t FlowNetwork::sendOne(std::size_t source, std::size_t sink)
{
    std::vector<std::size_t> path; // edges
    std::size_t at = source;
    while (at != sink) {
        std::size_t& current = m_current[at];
        const std::vector<std::size_t>& edges = m_edgesOf[at];
        while (current < edges.size()
               && (m_edges[edges[current]].left == 0
                   || m_level[m_edges[edges[current]].to] != m_level[at] + 1))
            ++current;
        if (current < edges.size()) {
            path.push_back(edges[current]);
            at = m_edges[edges[current]].to;
            continue;
        }
        if (path.empty())
            return 0;
        m_level[at] = -1; // a dead end for the rest of the phase
        at = m_edges[path.back() ^ 1U].to;
        path.pop_back();
    }
    std::int64_t amount = kInfinite;
    for (const std::size_t index : path)
        amount = std::min(amount, m_edges[index].left);
    for (const std::size_t index : path) {
        m_edges[index].left -= amount;
        m_edges[index ^ 1U].left += amount;
    }
    return amount;
}

std::vector<bool> FlowNetwork::reaching(std::size_t sink) const
{
    std::vector<bool> isReaching(m_edgesOf.size(), false);
    isReaching[sink] = true;
    std::vector<std::size_t> open{sink};
    while (!open.empty()) {
        const std::size_t vertex = open.back();
        open.pop_back();
        for (const std::size_t index : m_edgesOf[vertex]) {
            const std::size_t before = m_edges[index].to;
            if (m_edges[index ^ 1U].left > 0 && !isReaching[before]) {
                isReaching[before] = true;
                open.push_back(before);
            }
        }
    }
    return isReaching;
}

std::optional<std::vector<bool>> FlowNetwork::sinkSide(std::size_t source, std::size_t sink,
                                                       const base::JobContext& job) &&
{
    std::int64_t flow = 0;
    while (level(source, sink)) {
        m_current.assign(m_edgesOf.size(), 0);
        while (const std::int64_t amount = sendOne(source, sink)) {
            flow += amount;
            if (flow >= kInfinite || job.stopRequested())
                return std::nullopt;
        }
    }
    return reaching(sink);
}

} // namespace plimsoll::solve
