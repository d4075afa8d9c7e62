// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/schedule.h"

#include <cstddef>
#include <string>

namespace plimsoll::plan {

/// What memory of a step is called: "layers.0.linear1.weight", its gradient
/// "layers.0.linear1.weight, gradient", else after the op that makes it "layers.0.linear1 ·
/// aten.addmm".
[[nodiscard]] std::string storageText(const graph::Program& program, graph::StorageId storage);
/// "128x32x256 float32": of its first tensor; empty if it has none.
[[nodiscard]] std::string shapeText(const graph::Program& program, graph::StorageId storage);

/// Why a live interval of a schedule is alive, and until when, in sentences: "layers.0.linear1 ·
/// aten.addmm saves it for backward, which reads it in layers.0.linear1 · aten.mm, op 801, and then
/// frees it."
[[nodiscard]] std::string whyLive(const graph::Program& program, const Schedule& schedule,
                                  std::size_t instance);

} // namespace plimsoll::plan
