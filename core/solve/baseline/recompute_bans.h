// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/joint_graph.h"

#include <vector>

namespace plimsoll::solve {

/// Which reasons ban the recomputation of an op (MinCutOptions of
/// torch/_functorch/partitioners.py); reductions are always banned.
struct BanRules
{
    bool usedFarApart = true;
    bool longChains = true;
    bool materialized = true;
    bool notListed = true; ///< false: all but random and compute-intensive ops may be
};

/// Whether the kernels that make `from` and that read it as `to` are fused.
[[nodiscard]] bool areFused(const JointNode& from, const JointNode& to);

/// Nodes whose ops backward must not recompute, in the order in which PyTorch finds them. Nodes of
/// `allowed` (by node) and views are never among them.
[[nodiscard]] std::vector<std::size_t> bannedNodes(const JointGraph& graph, const BanRules& rules,
                                                   const std::vector<bool>& allowed);

} // namespace plimsoll::solve
