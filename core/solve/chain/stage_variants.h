// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/linearize.h"

#include <cstddef>
#include <vector>

namespace plimsoll::solve {

/// The results that each way of each stage keeps: [stage][way - 1], rising. Way 0 keeps all that
/// backward needs.
using SavedByVariant = std::vector<std::vector<std::vector<graph::OpId>>>;

/// Plans inside the stages: gives the chain further ways to run a stage that may be a region, by
/// which it keeps some results and repeats the rest right before its backward. Those whose
/// repetition takes most time for their bytes are kept first, one more from way to way; at most
/// `kMaxVariants` of these sets are taken, evenly spread. Recomputations of regions around a stage
/// have way 0 only, since what a checkpoint keeps is kept from forward on.
[[nodiscard]] SavedByVariant addStageVariants(const plan::Problem& problem, LinearizedStep& step);

inline constexpr std::size_t kMaxVariants = 16;

} // namespace plimsoll::solve
