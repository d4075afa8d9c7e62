// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/readers/file_value.h"
#include "core/readers/plimsoll_graph/draft.h"

#include <cstddef>
#include <map>
#include <string>

namespace plimsoll::readers::plimsoll_graph {

/// Checks every invariant of FORMAT.md; the error is the first violation, with its row and place.
/// Counts tolerated oddities.
[[nodiscard]] base::Result<void> validate(const Draft& draft, const Text& source,
                                          std::map<std::string, std::size_t>& oddities);

} // namespace plimsoll::readers::plimsoll_graph
