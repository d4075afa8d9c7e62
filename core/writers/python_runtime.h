// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plimsoll::writers {

/// The modules of the Python package that run a plan of checkpoint regions, compiled in as they
/// are; each imports only from those before it.
[[nodiscard]] std::span<const std::string_view> pythonRuntimeModules();

/// The same modules joined into one self-contained text: the docstring of the last, every import
/// from outside of the package once, then what each defines.
[[nodiscard]] std::string joinPythonModules(std::span<const std::string_view> modules);

} // namespace plimsoll::writers
