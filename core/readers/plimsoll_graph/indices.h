// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/fault.h"

namespace plimsoll::readers::plimsoll_graph {

/// An index that names no row of its table. All other checks need this one passed.
[[nodiscard]] MaybeFault findIndexFault(const graph::Program& program);

} // namespace plimsoll::readers::plimsoll_graph
