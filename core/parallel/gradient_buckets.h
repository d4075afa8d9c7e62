// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <map>
#include <vector>

namespace plimsoll::plan {

/// By storage: the tensor that is first in the table; null without one.
[[nodiscard]] std::vector<const graph::Tensor*> firstTensors(const graph::Program& program);

/// Gradients that the processes reduce, in the order in which DDP's hooks meet them (READY in
/// PARALLEL.md).
[[nodiscard]] std::vector<ReducedGradient> reducedGradients(const graph::Program& program);

/// How DDP puts them into buckets (BUCKETS there); indices into the gradients.
[[nodiscard]] std::vector<std::vector<std::size_t>>
gradientBuckets(const std::vector<ReducedGradient>& gradients, const DataParallel& setting);

/// Has the optimizer read and write the storages on the right where it was recorded to do so with
/// those on the left: gradients that lie in a bucket, or in a shard.
void redirectGradients(graph::Program& program,
                       const std::map<graph::StorageId, graph::StorageId>& homes);

} // namespace plimsoll::plan
