// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/baseline/joint_builder.h"

#include <string_view>

namespace plimsoll::solve {

/// Adds the nodes of the builder's op when it is one that Inductor splits: norms in training,
/// activations, softmax, dropout, negative log likelihood, and their backward. False: it is none of
/// them, or called in a way of which nothing is known, and nothing was added.
[[nodiscard]] bool splitOp(JointBuilder& builder, std::string_view packet);

} // namespace plimsoll::solve
