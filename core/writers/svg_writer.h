// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"

#include <string>

namespace plimsoll::writers {

/// The plan's timeline as an SVG picture: memory by class over the step, the budget, the peak.
/// Needs no font of its own and no script.
[[nodiscard]] std::string timelinePicture(const plan::FrontierPoint& plan);

} // namespace plimsoll::writers
