// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

namespace plimsoll::graph {

/// Whether an op counts batches for batch norm: it writes a buffer `num_batches_tracked`.
[[nodiscard]] bool countsBatches(const Program& program, const Op& op);

/// Whether an op is a batch norm that can run without updating its running statistics.
[[nodiscard]] bool updatesStatistics(const Program& program, const Op& op);

} // namespace plimsoll::graph
