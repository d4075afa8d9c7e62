// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

namespace plimsoll::plan {

/// Whether an op counts batches for batch norm: it writes a buffer `num_batches_tracked`.
[[nodiscard]] bool countsBatches(const graph::Program& program, const graph::Op& op);

/// Whether an op is a batch norm that can run without the statistics that it updates.
[[nodiscard]] bool updatesStatistics(const graph::Program& program, const graph::Op& op);

} // namespace plimsoll::plan
