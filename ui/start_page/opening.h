// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"

#include <optional>

namespace plimsoll::ui {

class Settings;

/// How graphs are opened: with the memory of `given` as the budget, if it is given; samples with
/// that of their GPU (gpuOfSample()), all others with that of the user's GPU, once it is known.
/// Else for `otherwise`, at a suggested budget. The result may be called from any thread.
[[nodiscard]] workspace::OpeningOf openingOf(Settings& settings,
                                             const std::optional<plan::Device>& given,
                                             const plan::Device& otherwise);

} // namespace plimsoll::ui
