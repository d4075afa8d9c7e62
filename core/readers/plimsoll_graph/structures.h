// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/draft.h"
#include "core/readers/plimsoll_graph/scan.h"

namespace plimsoll::readers::plimsoll_graph {

/// Fills the table of call structures. Equal values get equal texts, however they are written.
bool readStructures(Scan& scan, JsonValue& value, Draft& draft);

} // namespace plimsoll::readers::plimsoll_graph
