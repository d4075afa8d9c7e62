// SPDX-License-Identifier: Apache-2.0
#include "core/memtrace/analysis/flame.h"

#include "core/memtrace/frames.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace plimsoll::memtrace {

namespace {

using LayerWeights = std::array<double, timeline::kMostLayers + 1>;

/// Of one stack.
struct StackWeight
{
    LayerWeights ofLayer{};
    std::size_t blocks = 0;

    void add(const StackWeight& other)
    {
        for (std::size_t i = 0; i < ofLayer.size(); ++i)
            ofLayer[i] += other.ofLayer[i];
        blocks += other.blocks;
    }
};

class Tree
{
public:
    explicit Tree(const StackTable& stacks) : m_stacks{stacks}
    {
        flame.nodes.push_back({});
        flame.nodes.back().name = "all";
        m_weights.emplace_back();
    }
    void add(StackId stack, bool isBefore, const StackWeight& weight)
    {
        m_weights[0].add(weight);
        std::uint32_t at = 0;
        bool hasFrame = false;
        const std::span<const FrameId> frames = m_stacks.stack(stack);
        for (std::size_t i = frames.size(); i-- > 0;) {
            if (!isPython(m_stacks, m_stacks.frame(frames[i])))
                continue;
            at = childOf(at, frames[i].index(), frameText(m_stacks, frames[i]));
            m_weights[at].add(weight);
            hasFrame = true;
        }
        if (hasFrame)
            return;
        if (const std::optional<FrameId> told = topFrame(m_stacks, stack)) { // by a graph
            at = childOf(0, told->index(), frameText(m_stacks, *told));
            m_weights[at].add(weight);
            return;
        }
        at = isBefore ? childOf(0, kBeforeKey, "(before the recording)")
                      : childOf(0, kNoFrameKey, "(no Python frame)");
        m_weights[at].add(weight);
    }
    [[nodiscard]] Flame finished() &&
    {
        for (std::size_t i = 0; i < flame.nodes.size(); ++i) {
            FlameNode& node = flame.nodes[i];
            for (const double part : m_weights[i].ofLayer)
                node.weight += part;
            node.blocks = m_weights[i].blocks;
            node.mainLayer = static_cast<std::uint8_t>(
                std::ranges::max_element(m_weights[i].ofLayer) - m_weights[i].ofLayer.begin());
        }
        for (FlameNode& node : flame.nodes)
            std::ranges::sort(node.children, [&](std::uint32_t a, std::uint32_t b) {
                const FlameNode& one = flame.nodes[a];
                const FlameNode& two = flame.nodes[b];
                return one.weight != two.weight ? one.weight > two.weight : one.name < two.name;
            });
        return std::move(flame);
    }

    Flame flame;

private:
    static constexpr std::size_t kBeforeKey = ~std::size_t{0};
    static constexpr std::size_t kNoFrameKey = ~std::size_t{1};

    [[nodiscard]] std::uint32_t childOf(std::uint32_t parent, std::size_t key, std::string name)
    {
        const auto [at, isNew] = m_children.try_emplace(
            std::pair{parent, key}, static_cast<std::uint32_t>(flame.nodes.size()));
        if (isNew) {
            FlameNode node;
            node.name = std::move(name);
            node.parent = parent;
            node.depth = flame.nodes[parent].depth + 1;
            flame.nodes.push_back(std::move(node));
            flame.nodes[parent].children.push_back(at->second);
            m_weights.emplace_back();
        }
        return at->second;
    }

    const StackTable& m_stacks;
    std::vector<StackWeight> m_weights; ///< by node
    std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> m_children;
};

} // namespace

Flame flameOf(const MemoryTrace& trace, const DeviceTrace& device, const Layering& layering,
              std::size_t first, std::size_t last, const Matches& matches)
{
    const Allocations& allocations = device.allocations();
    const timeline::Times& times = device.axisTimes();
    // By stack, those from before the recording apart.
    std::map<std::pair<std::uint32_t, bool>, StackWeight> byStack;
    const std::int64_t begin = times[first];
    const std::int64_t end = times[last + 1];
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (!matches.at(i) || device.firstStep(i) > last || device.lastStep(i) < first)
            continue;
        const std::int64_t from = std::max(begin, times[device.firstStep(i)]);
        const std::int64_t to = std::min(end, times[device.lastStep(i) + std::size_t{1}]);
        StackWeight& weight =
            byStack[{allocations.stack[i], allocations.allocEvent[i] == kNoEvent}];
        weight.ofLayer[layering.layerOf[i]] +=
            static_cast<double>(allocations.bytes[i]) * static_cast<double>(to - from);
        ++weight.blocks;
    }
    Tree tree{trace.stacks()};
    tree.flame.layers = layering.layers;
    for (const auto& [key, weight] : byStack)
        tree.add(StackId{key.first}, key.second, weight);
    return std::move(tree).finished();
}

} // namespace plimsoll::memtrace
