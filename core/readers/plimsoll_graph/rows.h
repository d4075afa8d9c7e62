// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/draft.h"
#include "core/readers/plimsoll_graph/scan.h"

namespace plimsoll::readers::plimsoll_graph {

// Each fills its table of the draft; numbers are then within bounds, indices not yet in range.
bool readModules(Scan& scan, JsonValue& value, Draft& draft);
bool readCalls(Scan& scan, JsonValue& value, Draft& draft);
bool readStorages(Scan& scan, JsonValue& value, Draft& draft);
bool readTensors(Scan& scan, JsonValue& value, Draft& draft);
bool readOps(Scan& scan, JsonValue& value, Draft& draft);
bool readSaved(Scan& scan, JsonValue& value, Draft& draft);
bool readParams(Scan& scan, JsonValue& value, Draft& draft);

} // namespace plimsoll::readers::plimsoll_graph
