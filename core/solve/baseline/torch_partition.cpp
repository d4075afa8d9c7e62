// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/torch_partition.h"

#include "core/solve/baseline/flow_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::solve {

namespace {

constexpr BanRules kAllBans{};
constexpr BanRules kUnfusedBans{.usedFarApart = false,
                                .longChains = false,
                                .materialized = false,
                                .notListed = true};
constexpr BanRules kFewestBans{.usedFarApart = false,
                               .longChains = false,
                               .materialized = false,
                               .notListed = false};

/// Each node becomes two vertices: its inputs, and itself.
constexpr std::size_t kSource = 0;
constexpr std::size_t kSink = 1;
constexpr std::size_t before(std::size_t node)
{
    return 2 * node + 2;
}
constexpr std::size_t behind(std::size_t node)
{
    return 2 * node + 3;
}

} // namespace

TorchPartition::TorchPartition(const JointGraph& graph, Knapsack knapsack)
    : m_graph{graph}, m_knapsack{std::move(knapsack)}, m_noneAllowed(graph.nodes.size(), false)
{
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        if (graph.nodes[node].isInput)
            m_inputs.push_back(node);
}

/// Weighs a node by its bytes: more the further it is from backward, double if fusion would
/// otherwise avoid storing it.
std::int64_t TorchPartition::weightOf(const JointNode& node) const
{
    if (node.isTuple)
        return FlowNetwork::kInfinite;
    if (node.isParameter)
        return 0;
    constexpr double kPerStep = 1.1;
    const double distance = std::clamp(node.distance, 1, 100);
    const double grown = static_cast<double>(node.bytes) * std::pow(kPerStep, distance);
    constexpr std::int64_t kMost = FlowNetwork::kInfinite / 4; // for all nodes together
    const double most = static_cast<double>(kMost) / static_cast<double>(m_graph.nodes.size());
    const auto weight = static_cast<std::int64_t>(std::min(grown, most));
    const bool isMaterialized =
        node.isInput || !std::ranges::all_of(node.users, [&](std::size_t user) {
            return areFused(node, m_graph.nodes[user]);
        });
    return isMaterialized ? weight : 2 * weight;
}

std::optional<TorchPartition::Cut> TorchPartition::cut(const BanRules& rules,
                                                       const std::vector<bool>& allowed,
                                                       const base::JobContext& job) const
{
    const std::vector<JointNode>& nodes = m_graph.nodes;
    FlowNetwork network{2 * nodes.size() + 2};
    for (std::size_t index = 0; index < nodes.size(); ++index) {
        const JointNode& node = nodes[index];
        if (node.isMadeGradient) {
            network.addEdge(before(index), kSink, FlowNetwork::kInfinite);
            continue;
        }
        network.addEdge(before(index), behind(index), weightOf(node));
        for (const std::size_t user : node.users)
            network.addEdge(behind(index), before(user), FlowNetwork::kInfinite);
    }
    Cut made{{}, bannedNodes(m_graph, rules, allowed)};
    for (const std::size_t node : made.banned)
        network.addEdge(kSource, before(node), FlowNetwork::kInfinite);
    const auto isSinkSide = std::move(network).sinkSide(kSource, kSink, job);
    if (!isSinkSide)
        return std::nullopt;
    for (std::size_t node = 0; node < nodes.size(); ++node)
        if (!(*isSinkSide)[before(node)] && (*isSinkSide)[behind(node)]
            && !nodes[node].isMadeGradient)
            made.kept.push_back(node);
    return made;
}

std::int64_t TorchPartition::bytesOf(const Nodes& nodes) const
{
    std::int64_t bytes = 0;
    for (const std::size_t node : nodes)
        bytes += m_graph.nodes[node].bytes;
    return bytes;
}

bool TorchPartition::cutOnce(std::optional<Cut>& cache, const BanRules& rules,
                             const base::JobContext& job) const
{
    if (!cache)
        cache = cut(rules, m_noneAllowed, job);
    return cache.has_value();
}

bool TorchPartition::isBelow(const Cut& cut, std::int64_t permille) const
{
    const std::int64_t beyond = bytesOf(cut.kept) - bytesOf(m_inputs);
    return static_cast<double>(beyond) * static_cast<double>(kWhole)
           < static_cast<double>(permille) * static_cast<double>(m_range);
}

void TorchPartition::fillKnapsack()
{
    if (m_chooser)
        return;
    for (const std::size_t node : m_smallest->banned)
        if (m_graph.nodes[node].distance < kFar && !m_graph.nodes[node].ofInput)
            m_items.push_back(node);
    std::ranges::stable_sort(m_items, std::greater{},
                             [&](std::size_t node) { return m_graph.nodes[node].bytes; });
    std::vector<KnapsackItem> items;
    for (const std::size_t node : m_items)
        items.push_back({.weight = std::max<std::int64_t>(m_graph.nodes[node].bytes, 1),
                         .value = std::max<std::int64_t>(m_graph.nodes[node].flops, 1)});
    m_chooser = m_knapsack(items, m_range);
}

std::optional<TorchPartition::Nodes> TorchPartition::kept(std::int64_t permille,
                                                          const base::JobContext& job)
{
    if (permille == 0)
        return m_inputs;
    if (!cutOnce(m_fastest, kAllBans, job))
        return std::nullopt;
    m_range = bytesOf(m_fastest->kept) - bytesOf(m_inputs);
    if (permille == kWhole || m_range <= 0)
        return m_fastest->kept;
    if (!cutOnce(m_unfused, kUnfusedBans, job))
        return std::nullopt;
    if (isBelow(*m_unfused, permille))
        return m_unfused->kept;
    if (!cutOnce(m_smallest, kFewestBans, job))
        return std::nullopt;
    if (isBelow(*m_smallest, permille))
        return m_smallest->kept;
    fillKnapsack();
    if (m_items.empty())
        return m_smallest->kept;
    const std::vector<bool> chosen = m_chooser(permille);
    std::vector<bool> allowed = m_noneAllowed;
    for (std::size_t item = 0; item < m_items.size(); ++item)
        allowed[m_items[item]] = !chosen[item];
    const std::optional<Cut> last = cut(kFewestBans, allowed, job);
    return last ? std::optional{last->kept} : std::nullopt;
}

} // namespace plimsoll::solve
