// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace plimsoll::writers {

/// The text of resources/pytorch/src/plimsoll/apply_runtime.py, compiled in.
[[nodiscard]] std::string_view pythonRuntime();

} // namespace plimsoll::writers
