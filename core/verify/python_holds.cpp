// SPDX-License-Identifier: Apache-2.0
#include "core/verify/python_holds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace plimsoll::plan::verifying {

using graph::kBeforeStep;
using graph::OpIndex;

std::vector<OpIndex> pythonHolds(const graph::Program& program)
{
    std::vector<OpIndex> held(program.storages.size());
    for (std::size_t i = 0; i < held.size(); ++i)
        held[i] = program.storages[i].pythonFree;
    std::vector<OpIndex> latest = held;
    for (const graph::Saved& row : program.saved) {
        OpIndex& opIndex = latest[program.tensor(row.tensor).storage.index()];
        opIndex = std::max(opIndex, row.released);
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (program.storages[i].free > latest[i])
            held[i] = program.storages[i].free;
    }
    return held;
}

} // namespace plimsoll::plan::verifying
