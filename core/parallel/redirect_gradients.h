// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <map>

namespace plimsoll::plan {

/// Has the optimizer read and write the storages on the right where it was recorded to do so with
/// those on the left: gradients that lie in a bucket, or in a shard.
void redirectGradients(graph::Program& program,
                       const std::map<graph::StorageId, graph::StorageId>& homes);

} // namespace plimsoll::plan
