// SPDX-License-Identifier: Apache-2.0
// Minimum cuts, which values PyTorch's partitioner keeps, and how recorded ops become its graph.
#include "core/readers/registry.h"
#include "core/solve/baseline/flow_network.h"
#include "core/solve/baseline/joint_graph.h"
#include "core/solve/baseline/torch_budget_rows.h"

#include "tests/support/random.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>
#include <stop_token>

namespace {

using namespace plimsoll;
using solve::FlowNetwork;
using solve::JointGraph;
using solve::JointNode;
using solve::TorchPartition;

constexpr solve::OpTraits kProduct{.isCompute = true};

struct Edge
{
    std::size_t from = 0;
    std::size_t to = 0;
    std::int64_t capacity = 0;
};

/// Sink sides of all minimum cuts between vertex 0 and the last one, as bits.
std::vector<std::uint32_t> minimumCuts(const std::vector<Edge>& edges, std::size_t vertices)
{
    std::int64_t least = FlowNetwork::kInfinite;
    std::vector<std::uint32_t> cuts;
    for (std::uint32_t side = 0; side < (1U << vertices); ++side) {
        if ((side & 1U) != 0 || (side >> (vertices - 1) & 1U) == 0)
            continue;
        std::int64_t cost = 0;
        for (const Edge& edge : edges)
            if ((side >> edge.from & 1U) == 0 && (side >> edge.to & 1U) != 0)
                cost += edge.capacity;
        if (cost < least)
            cuts.clear();
        least = std::min(least, cost);
        if (cost == least)
            cuts.push_back(side);
    }
    return cuts;
}

std::optional<std::vector<bool>> cutOf(const std::vector<Edge>& edges, std::size_t vertices)
{
    FlowNetwork network{vertices};
    for (const Edge& edge : edges)
        network.addEdge(edge.from, edge.to, edge.capacity);
    return std::move(network).sinkSide(0, vertices - 1, {});
}

JointNode nodeOf(solve::OpTraits traits, std::vector<std::size_t> inputs, std::int64_t bytes)
{
    JointNode node;
    node.traits = traits;
    node.inputs = std::move(inputs);
    node.bytes = bytes;
    node.isForward = true;
    return node;
}

JointNode inputOf(std::int64_t bytes)
{
    JointNode node = nodeOf({}, {}, bytes);
    node.isInput = true;
    node.ofInput = true;
    return node;
}

JointNode gradientOf(solve::OpTraits traits, std::vector<std::size_t> inputs)
{
    JointNode node = nodeOf(traits, std::move(inputs), 0);
    node.isForward = false;
    node.isMadeGradient = true;
    return node;
}

TorchPartition::Nodes keptOf(JointGraph graph, std::int64_t permille)
{
    solve::connect(graph);
    TorchPartition partition{graph, solve::budgetKnapsack(false)};
    return partition.kept(permille, {}).value();
}

/// Input, a product, an activation of `wide` bytes, another product; backward's products read the
/// activation, and its slope reads the first product.
JointGraph layer(std::int64_t wide)
{
    JointGraph graph;
    graph.nodes = {inputOf(100),
                   nodeOf(kProduct, {0}, 1000),
                   nodeOf(solve::kPointwise, {1}, wide),
                   nodeOf(kProduct, {2}, 1000),
                   gradientOf({}, {}),
                   gradientOf(kProduct, {4, 2}),
                   gradientOf(solve::kPointwise, {5, 1})};
    graph.nodes[1].flops = 500;
    graph.nodes[3].flops = 500;
    return graph;
}

class TorchPartitionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cutsAreMinimalAndNearestToTheSink();
    void cutsOfKnownGraphs();
    void whatBackwardMaterializesIsKeptWithoutABudget();
    void reductionsAndRandomNumbersAreKept();
    void longChainsAreBroken();
    void keptSetsAreTheCheapestThatAreAllowed();
    void opNames();
    void recordedOpsBecomeTheGraphOfTheCompiler();
};

void TorchPartitionTest::cutsAreMinimalAndNearestToTheSink()
{
    tests::Random random{3};
    for (int round = 0; round < 400; ++round) {
        const auto vertices = static_cast<std::size_t>(random.between(3, 8));
        std::vector<Edge> edges;
        for (std::size_t from = 0; from < vertices; ++from)
            for (std::size_t to = 0; to < vertices; ++to)
                if (from != to && random.between(0, 2) == 0)
                    edges.push_back({from, to, random.between(0, 5)});
        const std::vector<std::uint32_t> cuts = minimumCuts(edges, vertices);
        std::uint32_t nearest = ~0U;
        for (const std::uint32_t cut : cuts)
            nearest &= cut;
        const auto found = cutOf(edges, vertices);
        QVERIFY(found);
        for (std::size_t vertex = 0; vertex < vertices; ++vertex)
            QCOMPARE((*found)[vertex], (nearest >> vertex & 1U) != 0);
    }
}

void TorchPartitionTest::cutsOfKnownGraphs()
{
    QCOMPARE(cutOf({{0, 1, 3}, {1, 2, 2}, {2, 3, 3}}, 4).value(),
             (std::vector<bool>{false, false, true, true}));
    // Two equal cuts: the one nearer to the sink.
    QCOMPARE(cutOf({{0, 1, 2}, {1, 2, 2}}, 3).value(), (std::vector<bool>{false, false, true}));
    QVERIFY(!cutOf({{0, 1, FlowNetwork::kInfinite}, {1, 2, FlowNetwork::kInfinite}}, 3));
    std::stop_source stop;
    stop.request_stop();
    FlowNetwork network{2};
    network.addEdge(0, 1, 1);
    QVERIFY(!std::move(network).sinkSide(0, 1, {.stop = stop.get_token(), .progress = nullptr}));
}

void TorchPartitionTest::whatBackwardMaterializesIsKeptWithoutABudget()
{
    using Nodes = TorchPartition::Nodes;
    QCOMPARE(keptOf(layer(1000), 1000), (Nodes{1, 2}));
    QCOMPARE(keptOf(layer(1000), 600), (Nodes{1})); // 900 of 1900 bytes beyond the input
    QCOMPARE(keptOf(layer(1000), 473), (Nodes{0})); // 1000 don't fit into 473 permille of 1900
    QCOMPARE(keptOf(layer(1000), 0), (Nodes{0}));
}

void TorchPartitionTest::reductionsAndRandomNumbersAreKept()
{
    JointGraph graph;
    graph.nodes = {inputOf(1000),
                   nodeOf(solve::kPointwise, {0}, 100), // a sum
                   nodeOf({.isRandom = true}, {}, 1000),
                   nodeOf(solve::kPointwise, {0, 1, 2}, 1000),
                   gradientOf({}, {}),
                   gradientOf(solve::kPointwise, {4, 3})};
    solve::connect(graph);
    const std::vector<bool> none(graph.nodes.size(), false);
    QCOMPARE(solve::bannedNodes(graph, {}, none), (TorchPartition::Nodes{0, 1, 2}));
    QCOMPARE(solve::bannedNodes(graph, {.notListed = false}, none),
             (TorchPartition::Nodes{0, 1, 2}));
    graph.nodes[1].bytes = 250; // no longer less than a quarter
    QCOMPARE(solve::bannedNodes(graph, {}, none), (TorchPartition::Nodes{0, 2}));
    std::vector<bool> allowed = none;
    allowed[2] = true;
    QCOMPARE(solve::bannedNodes(graph, {}, allowed), (TorchPartition::Nodes{0}));
}

void TorchPartitionTest::longChainsAreBroken()
{
    JointGraph graph;
    graph.nodes.push_back(inputOf(8));
    for (std::size_t node = 0; node < 250; ++node)
        graph.nodes.push_back(nodeOf(solve::kPointwise, {node}, 8));
    graph.nodes.push_back(gradientOf(solve::kPointwise, {250}));
    solve::connect(graph);
    const std::vector<bool> none(graph.nodes.size(), false);
    // Counted from the first of a chain, which nothing in front of it is fused with.
    QCOMPARE(solve::bannedNodes(graph, {}, none), (TorchPartition::Nodes{0, 102, 204}));
    QCOMPARE(solve::bannedNodes(graph, {.longChains = false}, none), (TorchPartition::Nodes{0}));
}

/// Cost of keeping what the bits say; nothing when backward can't be computed from it.
std::optional<double> costOf(const JointGraph& graph, const std::set<std::size_t>& banned,
                             std::uint32_t kept)
{
    const std::vector<JointNode>& nodes = graph.nodes;
    std::vector<bool> isThere(nodes.size(), false);
    double cost = 0;
    for (std::size_t index = 0; index < nodes.size(); ++index) {
        const JointNode& node = nodes[index];
        const bool isComputable =
            std::ranges::all_of(node.inputs, [&](std::size_t input) { return isThere[input]; });
        if (node.isMadeGradient) {
            if (!isComputable)
                return std::nullopt;
            isThere[index] = true;
            continue;
        }
        const bool isKept = (kept >> index & 1U) != 0;
        isThere[index] = isKept || (!banned.contains(index) && isComputable);
        if (!isKept)
            continue;
        const bool isFusedAway =
            !node.isInput && std::ranges::all_of(node.users, [&](std::size_t user) {
                return solve::areFused(node, nodes[user]);
            });
        const double distance = std::clamp(node.distance, 1, 100);
        cost += std::floor(static_cast<double>(node.bytes) * std::pow(1.1, distance))
                * (isFusedAway ? 2 : 1);
    }
    return cost;
}

void TorchPartitionTest::keptSetsAreTheCheapestThatAreAllowed()
{
    tests::Random random{17};
    for (int round = 0; round < 200; ++round) {
        JointGraph graph;
        graph.nodes.push_back(inputOf(random.between(1, 50) * 10));
        const auto forward = static_cast<std::size_t>(random.between(3, 9));
        while (graph.nodes.size() < forward) {
            const int last = static_cast<int>(graph.nodes.size()) - 1;
            std::vector<std::size_t> inputs{static_cast<std::size_t>(random.between(0, last)),
                                            static_cast<std::size_t>(last)};
            graph.nodes.push_back(nodeOf(random.between(0, 2) == 0 ? kProduct : solve::kPointwise,
                                         std::move(inputs), random.between(1, 50) * 10));
        }
        graph.nodes.push_back(gradientOf({}, {}));
        for (std::size_t node = forward; node-- > 0;)
            if (random.between(0, 1) == 0)
                graph.nodes.push_back(
                    gradientOf(random.between(0, 1) == 0 ? kProduct : solve::kPointwise,
                               {graph.nodes.size() - 1, node}));
        solve::connect(graph);
        const std::vector<bool> none(graph.nodes.size(), false);
        const std::vector<std::size_t> banned = solve::bannedNodes(graph, {}, none);
        std::optional<double> least;
        for (std::uint32_t kept = 0; kept < (1U << forward); ++kept)
            if (const auto cost = costOf(graph, {banned.begin(), banned.end()}, kept))
                least = least ? std::min(*least, *cost) : *cost;
        TorchPartition partition{graph, solve::budgetKnapsack(false)};
        std::uint32_t kept = 0;
        const auto found = partition.kept(1000, {});
        QVERIFY(found);
        for (const std::size_t node : *found)
            kept |= 1U << node;
        QCOMPARE(costOf(graph, {banned.begin(), banned.end()}, kept), least);
    }
}

void TorchPartitionTest::opNames()
{
    QCOMPARE(solve::packetOf("aten.add_.Tensor"), std::string{"aten.add"});
    QCOMPARE(solve::packetOf("aten.__and__.Tensor"), std::string{"aten.__and__"});
    QCOMPARE(solve::packetOf("mine.op"), std::string{"mine.op"});
    QVERIFY(solve::traitsOf("aten.mm", false).isCompute);
    QVERIFY(!solve::traitsOf("aten.mm", false).isFusible());
    QVERIFY(solve::traitsOf("aten.add", false).isFusible());
    QVERIFY(!solve::traitsOf("aten.sort", false).isRecomputable);
    QVERIFY(solve::traitsOf("aten.transpose", true).isRecomputable);
    QVERIFY(solve::traitsOf("aten.cat", false).isCat);
    QVERIFY(!solve::traitsOf("mine.add", false).isFusible());
}

void TorchPartitionTest::recordedOpsBecomeTheGraphOfTheCompiler()
{
    const auto read =
        readers::readProgram(PLIMSOLL_SOURCE_DIR "/resources/samples/resnet18.plimsoll.json.gz");
    QVERIFY(read);
    const JointGraph graph = solve::jointGraph(*read->program);
    std::size_t products = 0;
    std::size_t masks = 0;
    std::size_t statistics = 0;
    for (std::size_t index = 0; index < graph.nodes.size(); ++index) {
        const JointNode& node = graph.nodes[index];
        for (const std::size_t input : node.inputs)
            QVERIFY(input < index);
        if (!node.isMadeGradient && node.traits.isCompute)
            ++products;
        masks += node.name == "aten.le 0" ? 1U : 0U;
        statistics += node.name == "aten.var_mean" ? 1U : 0U;
    }
    QCOMPARE(products, std::size_t{21});   // 20 convolutions and the last layer
    QCOMPARE(masks, std::size_t{17});      // one for each ReLU
    QCOMPARE(statistics, std::size_t{20}); // one for each batch norm
}

} // namespace

PLIMSOLL_TEST(TorchPartitionTest, QCoreApplication)
#include "torch_partition_test.moc"
