// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/draft.h"
#include "core/readers/plimsoll_graph/scan.h"

#include <optional>
#include <string>

namespace plimsoll::readers::plimsoll_graph {

/// Reads the key `vary`; afterwards numbers are within bounds, but indices not yet in range.
bool readVary(Scan& scan, JsonValue& value, Draft& draft);

/// What is wrong with it, as the rest of a sentence: an index out of range, a table of another
/// length, a law that doesn't give the program's own number. The program itself must be valid.
[[nodiscard]] std::optional<std::string> findVaryProblem(const Draft& draft);

} // namespace plimsoll::readers::plimsoll_graph
