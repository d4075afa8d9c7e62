// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/regions/linearize.h"

#include <cstddef>
#include <vector>

namespace plimsoll::solve {

/// The results that each variant of each stage keeps: [stage][variant - 1], rising. Variant 0 keeps
/// all that backward needs.
using SavedByVariant = std::vector<std::vector<std::vector<graph::OpId>>>;

/// Plans inside the stages: gives the chain further variants of the stages that may be regions,
/// which keep some results and recompute the rest right before their backward. Results with the
/// largest recomputation time per byte are kept first, one more from variant to variant; at most
/// `kMaxVariants` of these sets are used, evenly spread. Recomputations of regions around a stage
/// use variant 0 only, since a checkpoint keeps its saved results from forward on.
[[nodiscard]] SavedByVariant addStageVariants(const plan::Problem& problem, LinearizedStep& step);

inline constexpr std::size_t kMaxVariants = 16;

} // namespace plimsoll::solve
