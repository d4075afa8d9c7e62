// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::graph {

/// A module that a step calls.
struct ModuleNode
{
    ModuleId module;
    std::int32_t parent = -1; ///< index of the called module around it; -1: only the model is
    std::string name;         ///< its path inside that module: "h.0"
};

/// The modules that a step calls, as they contain one another. Those that are never called
/// themselves (a list of layers) form no level; the model itself is none, as it contains all.
struct ModuleTree
{
    std::vector<ModuleNode> nodes;       ///< parents first, in the program's order
    std::vector<std::int32_t> ofModule;  ///< by module: its node or the innermost around it; -1:
                                         ///< outside of called modules
    std::vector<std::int32_t> ofStorage; ///< by storage: of parameters, what belongs to them and
                                         ///< buffers where they are registered, of all others
                                         ///< where they are made; -1 likewise

    [[nodiscard]] std::int32_t ofOp(const Op& op) const
    {
        return op.module ? ofModule[op.module->index()] : -1;
    }
};

/// In O(modules + storages).
[[nodiscard]] ModuleTree moduleTree(const Program& program);

} // namespace plimsoll::graph
