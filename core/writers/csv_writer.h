// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"

#include <string>

namespace plimsoll::writers {

/// One row for each value that the plan recomputes, with a head, after RFC 4180.
[[nodiscard]] std::string recomputedTable(const plan::FrontierPoint& plan);

} // namespace plimsoll::writers
