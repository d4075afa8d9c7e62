// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::solve {

/// A directed graph with capacities, for one minimum cut (Dinic's algorithm).
class FlowNetwork
{
public:
    /// The capacity of an edge that no cut may cross.
    static constexpr std::int64_t kInfinite = std::int64_t{1} << 60U;

    explicit FlowNetwork(std::size_t vertices) : m_edgesOf(vertices) {}

    /// Finite capacities must add up to less than kInfinite.
    void addEdge(std::size_t from, std::size_t to, std::int64_t capacity);

    /// By vertex: whether it lies on the sink's side of the minimum cut nearest to the sink, which
    /// is the same for every maximum flow. Nothing if every cut is infinite or the job was stopped.
    /// Consumes the capacities.
    [[nodiscard]] std::optional<std::vector<bool>> sinkSide(std::size_t source, std::size_t sink,
                                                            const base::JobContext& job) &&;

private:
    struct Edge
    {
        std::size_t to = 0;
        std::int64_t left = 0; ///< residual capacity; the next or previous edge is the reverse one
    };

    [[nodiscard]] bool level(std::size_t source, std::size_t sink);
    [[nodiscard]] std::int64_t sendOne(std::size_t source, std::size_t sink);
    [[nodiscard]] std::vector<bool> reaching(std::size_t sink) const;

    std::vector<Edge> m_edges; ///< pairs: an edge, its reverse
    std::vector<std::vector<std::size_t>> m_edgesOf;
    std::vector<std::int32_t> m_level;  ///< by vertex: edges from the source; -1: not reached
    std::vector<std::size_t> m_current; ///< by vertex: its first edge with residual capacity
};

} // namespace plimsoll::solve
