// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/compare/two_steps.h"

#include <optional>
#include <string>

namespace plimsoll::cli {

/// A recording of a training, the step that is predicted for it, and their files.
struct WaterfallInput
{
    std::string graph;
    std::string profile;
    std::string plan;           ///< empty: the step without a plan
    std::optional<int> ordinal; ///< of the profile's device; none: the one with the highest peak
    plan::Problem problem;
    plan::Plan decisions;
};

/// The answer of diff for a recording and its prediction. Throws VerbError.
[[nodiscard]] Answer diffWaterfall(WaterfallInput input, const Common& common);

} // namespace plimsoll::cli
