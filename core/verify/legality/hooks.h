// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::plan::verifying {

/// One gradient, as DDP's hook finds it.
struct Hooked
{
    std::size_t parameter = 0;
    graph::StorageId storage;
    std::int64_t bytes = 0;
    std::uint32_t dtype = 0;
    graph::OpIndex at = graph::kBeforeStep; ///< the op behind which the hook runs
    std::size_t place = 0;                  ///< among what it makes, else reads, else writes
};

/// Gradients that processes reduce, in the order in which their hooks run.
[[nodiscard]] std::vector<Hooked> hooksOf(const graph::Program& recorded);

} // namespace plimsoll::plan::verifying
