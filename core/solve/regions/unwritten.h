// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <vector>

namespace plimsoll::solve {

/// By forward or loss op: the newest op up to it that a region ending there must not hold;
/// kBeforeStep: there is none. Slices of one storage (unsafe_split's, a GRU's gates) may be written
/// when another one is saved already: a recomputation has to come to these writes, and it stops
/// where the last saved tensor of the region is made.
[[nodiscard]] std::vector<graph::OpIndex> newestUnwritten(const graph::Program& program);

} // namespace plimsoll::solve
