// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/chain/trunk/trunk.h"

#include <string>
#include <vector>

namespace plimsoll::solve {

/// Boundaries from names of modules, separated by commas, in any order: each where the last of the
/// module's layers ends. A module is the path of a layer ("layer3.1") or of what layers are in
/// ("layer3"). No name at all: the end of the trunk; without
/// layers none. `modules`: paths of all modules that the model
/// has. Usage error for a name that no layer goes by, naming the nearest ones, and for a boundary
/// between a layer and one that overwrites what it returns: nobody would find it there. Behind the
/// last boundary nothing is checkpointed, so anything may follow.
[[nodiscard]] base::Result<std::vector<TrunkBoundary>>
trunkBoundaries(const std::string& text, const std::vector<TrunkElement>& elements,
                const std::vector<std::string>& modules);

} // namespace plimsoll::solve
