// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/largest_sizes.h"

#include <QString>

#include <vector>

namespace plimsoll::ui {

/// What the answers to "where does the step fit?" depend on.
struct FitSettings
{
    graph::ProgramPtr recorded; ///< the graph as read
    workspace::Choices choices;
    base::Bytes budget; ///< for the largest sizes
    allocator::AllocatorSettings allocator;
    std::vector<plan::Device> devices; ///< to compare

    bool operator==(const FitSettings&) const = default;
};

/// One for each device, as if it were chosen.
[[nodiscard]] std::vector<workspace::Choices> deviceChoices(const FitSettings& settings);
/// By axis, then by planner; none for a graph that was traced at one size only.
[[nodiscard]] std::vector<workspace::SizeQuestion> sizeQuestions(const FitSettings& settings);

/// The settings of a comparison of GPUs that differ from the current ones: "batch 8, planner
/// rotor". Empty if it is right for the current ones, too.
[[nodiscard]] QString formerOfDeviceFits(const FitSettings& former, const FitSettings& now);
/// The same for the largest sizes. The size of an axis doesn't matter for its own rows.
[[nodiscard]] QString formerOfLargestSizes(const FitSettings& former, const FitSettings& now);

} // namespace plimsoll::ui
