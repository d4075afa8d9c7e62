// SPDX-License-Identifier: Apache-2.0
// partition_check GRAPH KNAPSACK PERMILLE...: what TorchPartition keeps at each budget, as JSON:
// {"PERMILLE": [{"name", "elements", "bytes", "input", "parameter"}, …]}. KNAPSACK: "exact" and
// "greedy" are the planner's, "rounded" is PyTorch's dp with all its roundings. Exit 3: unreadable
// input.
#include "core/readers/registry.h"
#include "core/solve/baseline/joint_graph.h"
#include "core/solve/baseline/torch_budget_rows.h"

#include "tests/support/rounded_knapsack.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace plimsoll;
using nlohmann::json;

constexpr int kUnreadable = 3;

solve::TorchPartition::Knapsack knapsackOf(const std::string& name)
{
    if (name == "rounded")
        return tests::roundedKnapsack;
    return solve::budgetKnapsack(name == "greedy");
}

int run(const std::vector<std::string>& arguments)
{
    const auto loaded = readers::readProgram(arguments[0], {});
    if (!loaded) {
        fmt::print(stderr, "{}\n", loaded.error().message);
        return kUnreadable;
    }
    const solve::JointGraph graph = solve::jointGraph(*loaded->program);
    solve::TorchPartition partition{graph, knapsackOf(arguments[1])};
    json answers;
    for (std::size_t index = 2; index < arguments.size(); ++index) {
        json& answer = answers[arguments[index]] = json::array();
        const auto kept = partition.kept(std::stoll(arguments[index]), {});
        for (const std::size_t at : kept.value()) {
            const solve::JointNode& node = graph.nodes[at];
            answer.push_back({{"name", node.name},
                              {"elements", node.elements},
                              {"bytes", node.bytes},
                              {"input", node.isInput},
                              {"parameter", node.isParameter}});
        }
    }
    fmt::print("{}\n", answers.dump());
    return 0;
}

} // namespace

int main(int count, char** values)
{
    const std::vector<std::string> arguments(values + 1, values + count);
    if (arguments.size() < 3) {
        fmt::print(stderr, "usage: partition_check GRAPH exact|greedy|rounded PERMILLE...\n");
        return kUnreadable;
    }
    try {
        return run(arguments);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return kUnreadable;
    }
}
