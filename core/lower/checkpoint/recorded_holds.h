// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan {

/// p(S) of LIFETIMES.md by storage: the recorded `python_free`, or `free` where neither that nor
/// any row explains how long it lived.
[[nodiscard]] std::vector<graph::OpIndex> recordedPythonHolds(const graph::Program& program);

} // namespace plimsoll::plan
