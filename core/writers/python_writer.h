// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"

#include <string>

namespace plimsoll::writers {

/// A Python module that needs nothing but torch: `apply(model)` makes the model recompute what the
/// plan says. It contains the modules that plimsoll.apply() runs as well: one implementation.
[[nodiscard]] std::string pythonModule(const plan::FrontierPoint& plan);

/// The same plan as a few lines to paste into a training script that has a `model`. Where a few
/// lines would not do (modules called more than once, arguments that grow), lines that use the
/// module above.
[[nodiscard]] std::string pythonSnippet(const plan::FrontierPoint& plan);

} // namespace plimsoll::writers
