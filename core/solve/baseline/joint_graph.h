// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"
#include "core/solve/baseline/torch_ops.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::solve {

/// A value of the graph that torch.compile divides into forward and backward.
struct JointNode
{
    std::string name; ///< "aten.mul 0.5": what makes it; an input's name
    OpTraits traits;
    std::vector<std::size_t> inputs; ///< nodes
    std::vector<std::size_t> users;  ///< nodes, each once
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    std::int64_t flops = 0;
    std::optional<graph::TensorId> tensor; ///< of the recorded step; none inside of a split op
    bool isInput = false;
    bool isParameter = false;    ///< an input that lives on anyway: parameters and buffers
    bool isTuple = false;        ///< several results, of which other nodes take one each
    bool ofInput = false;        ///< lies in the memory of an input
    bool mayMerge = false;       ///< name and inputs say all about it
    bool isMadeGradient = false; ///< backward makes it from a gradient, so forward can't
    bool isForward = false;      ///< forward can't do without it
    int distance = 0;            ///< users on the way to backward's first one; kFar: no way
};

inline constexpr int kFar = 1'000'000'000;

/// Forward, loss and backward of a step as torch.compile sees them before it divides them: in-place
/// writes make new values, norms, activations, dropout and losses are split into what Inductor
/// splits them into, equal values are one. Nodes stand behind all that they read.
struct JointGraph
{
    std::vector<JointNode> nodes;
};

/// Fills in users and distances from the rest.
void connect(JointGraph& graph);

/// The graph of the (first) forward, loss and backward. Ops of no training step give one without
/// gradients.
[[nodiscard]] JointGraph jointGraph(const graph::Program& program);

} // namespace plimsoll::solve
