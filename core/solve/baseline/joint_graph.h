// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "core/solve/baseline/torch_ops.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::solve {

/// A value of the graph that torch.compile partitions into forward and backward.
struct JointNode
{
    std::string name; ///< "aten.mul 0.5": the op that makes it; or an input's name
    OpTraits traits;
    std::vector<std::size_t> inputs; ///< nodes
    std::vector<std::size_t> users;  ///< nodes, each once
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    std::int64_t flops = 0;
    std::optional<graph::TensorId> tensor; ///< of the recorded step; none inside a decomposed op
    bool isInput = false;
    bool isParameter = false;    ///< an input that stays in memory anyway: parameters and buffers
    bool isTuple = false;        ///< several results, each of which another node selects
    bool ofInput = false;        ///< shares the memory of an input
    bool mayMerge = false;       ///< name and inputs determine it
    bool isMadeGradient = false; ///< depends on a gradient, so forward can't compute it
    bool isForward = false;      ///< needed by forward
    int distance = 0;            ///< distance to the first user in backward; kFar: none
};

inline constexpr int kFar = 1'000'000'000;

/// Forward, loss and backward of a step as torch.compile sees them before partitioning: in-place
/// writes are functionalised; norms, activations, dropout and losses are decomposed as in Inductor;
/// equal values are merged. Nodes follow all that they read.
struct JointGraph
{
    std::vector<JointNode> nodes;
};

/// Derives users and distances from the rest.
void connect(JointGraph& graph);

/// The graph of the (first) forward, loss and backward. For ops of an inference step, it has no
/// gradients.
[[nodiscard]] JointGraph jointGraph(const graph::Program& program);

} // namespace plimsoll::solve
