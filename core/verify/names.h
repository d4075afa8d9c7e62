// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"

#include <string>

namespace plimsoll::plan::verifying {

/// "aten.relu_ of layer1.0.relu (op 17)".
[[nodiscard]] std::string nameOf(const graph::Program& program, graph::OpId op);
/// "input 'x'", or "the result of aten.add of layer1.0 (op 3)" of a storage without a name.
[[nodiscard]] std::string nameOf(const graph::Program& program, graph::StorageId storage);
/// "layer1.0", the whole model being "the model".
[[nodiscard]] std::string nameOf(const graph::Program& program, graph::CallId call);
/// "the region layer1.0 to layer1.1".
[[nodiscard]] std::string nameOf(const graph::Program& program, const Region& region);

} // namespace plimsoll::plan::verifying
