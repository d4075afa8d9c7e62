// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// python_free as LIFETIMES.md takes it: the recording's free where that is later than everything
/// known to hold the storage.
[[nodiscard]] std::vector<graph::OpIndex> pythonHolds(const graph::Program& program);

} // namespace plimsoll::plan::verifying
