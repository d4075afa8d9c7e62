// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/joint_graph.h"

#include <vector>

namespace plimsoll::solve {

/// Which reasons not to repeat an op count (MinCutOptions of torch/_functorch/partitioners.py; that
/// reductions are not repeated always counts).
struct BanRules
{
    bool usedFarApart = true;
    bool longChains = true;
    bool materialized = true;
    bool notListed = true; ///< false: all but what is random or worth its time may be repeated
};

/// Whether a kernel that makes `from` and one that reads it as `to` become one.
[[nodiscard]] bool areFused(const JointNode& from, const JointNode& to);

/// Nodes whose ops backward must not repeat, in the order in which PyTorch finds them. Nodes of
/// `allowed` (by node) and views are never among them.
[[nodiscard]] std::vector<std::size_t> bannedNodes(const JointGraph& graph, const BanRules& rules,
                                                   const std::vector<bool>& allowed);

} // namespace plimsoll::solve
