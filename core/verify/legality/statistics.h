// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

namespace plimsoll::plan::verifying {

/// Batch norm that can run without the running statistics, which it then neither reads nor writes.
[[nodiscard]] bool leavesStatistics(const graph::Program& program, const graph::Op& op);

/// The op with which a batch norm counts the batches that it has seen.
[[nodiscard]] bool isBatchCounter(const graph::Program& program, const graph::Op& op);

} // namespace plimsoll::plan::verifying
