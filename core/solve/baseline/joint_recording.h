// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/joint_graph.h"

namespace plimsoll::solve {

/// The graph of the (first) forward, loss and backward. Ops of no training step give one without
/// gradients.
[[nodiscard]] JointGraph jointGraph(const graph::Program& program);

} // namespace plimsoll::solve
