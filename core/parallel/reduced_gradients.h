// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <functional>
#include <map>
#include <vector>

namespace plimsoll::plan {

/// By storage: its first tensor in the table; null if it has none.
[[nodiscard]] std::vector<const graph::Tensor*> firstTensors(const graph::Program& program);

/// Gradients that the processes reduce, in the order in which DDP's hooks meet them (READY in
/// PARALLEL.md).
[[nodiscard]] std::vector<ReducedGradient> reducedGradients(const graph::Program& program);

/// Makes the optimizer read and write the storages on the right wherever it was recorded to use
/// those on the left: gradients that are in a bucket or in a shard.
void redirectGradients(graph::Program& program,
                       const std::map<graph::StorageId, graph::StorageId>& homes);

/// The part that a rank keeps of something with that many bytes, made for a parameter, which is
/// identified by the index of its gradient.
using PartOf = std::function<base::Bytes(std::size_t gradient, base::Bytes bytes)>;

/// Reduces the optimizer's states and temporaries, and its time, to that part (SHARDS in
/// PARALLEL.md).
void keepPart(graph::Program& program, const std::vector<ReducedGradient>& gradients,
              const PartOf& partOf);

} // namespace plimsoll::plan
