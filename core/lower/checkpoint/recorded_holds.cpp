// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/recorded_holds.h"

#include <algorithm>
#include <cstddef>

namespace plimsoll::plan {

using graph::OpIndex;

std::vector<OpIndex> recordedPythonHolds(const graph::Program& program)
{
    std::vector<OpIndex> explained;
    explained.reserve(program.storages.size());
    for (const graph::Storage& storage : program.storages)
        explained.push_back(storage.pythonFree);
    for (const graph::Saved& saved : program.saved) {
        OpIndex& until = explained[program.tensor(saved.tensor).storage.index()];
        until = std::max(until, saved.released);
    }
    // Whoever else held it counts as Python.
    std::vector<OpIndex> holds;
    holds.reserve(program.storages.size());
    for (std::size_t index = 0; index < program.storages.size(); ++index) {
        const graph::Storage& storage = program.storages[index];
        holds.push_back(storage.free > explained[index] ? storage.free : storage.pythonFree);
    }
    return holds;
}

} // namespace plimsoll::plan
