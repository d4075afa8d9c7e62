// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace plimsoll::writers {

/// The text of common/apply_values.py and runtime/checkpoint/apply_runtime.py of
/// resources/pytorch/src/plimsoll, compiled in.
[[nodiscard]] std::string_view pythonRuntime();

} // namespace plimsoll::writers
