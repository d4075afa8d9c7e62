// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

namespace plimsoll::plan {

/// Makes of `program`, a copy of the recorded step, that of one process under fully_shard():
/// parameters, optimizer and what stays of gradients are its shard; units are gathered and reduced
/// as the step without any plan does it (MEMORY OF SHARDS in PARALLEL.md). Finds `parallel.units`
/// and tells their storages.
void shardProgram(const graph::Program& recorded, graph::Program& program, Parallel& parallel);

} // namespace plimsoll::plan
