// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <vector>

namespace plimsoll::plan {

/// Gradients that the processes reduce, in the order in which DDP's hooks meet them (READY in
/// PARALLEL.md).
[[nodiscard]] std::vector<ReducedGradient> reducedGradients(const graph::Program& program);

/// How DDP puts them into buckets (BUCKETS there); indices into the gradients.
[[nodiscard]] std::vector<std::vector<std::size_t>>
gradientBuckets(const std::vector<ReducedGradient>& gradients, const DataParallel& setting);

} // namespace plimsoll::plan
