// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <functional>
#include <map>
#include <vector>

namespace plimsoll::plan {

/// By storage: the tensor that is first in the table; null without one.
[[nodiscard]] std::vector<const graph::Tensor*> firstTensors(const graph::Program& program);

/// Gradients that the processes reduce, in the order in which DDP's hooks meet them (READY in
/// PARALLEL.md).
[[nodiscard]] std::vector<ReducedGradient> reducedGradients(const graph::Program& program);

/// Has the optimizer read and write the storages on the right where it was recorded to do so with
/// those on the left: gradients that lie in a bucket, or in a shard.
void redirectGradients(graph::Program& program,
                       const std::map<graph::StorageId, graph::StorageId>& homes);

/// What a process keeps of something that has so many bytes and belongs to a parameter, which is
/// told by the index of its gradient.
using PartOf = std::function<base::Bytes(std::size_t gradient, base::Bytes bytes)>;

/// Leaves that part of the optimizer's states and temporaries, and of its time (SHARDS in
/// PARALLEL.md).
void keepPart(graph::Program& program, const std::vector<ReducedGradient>& gradients,
              const PartOf& partOf);

} // namespace plimsoll::plan
