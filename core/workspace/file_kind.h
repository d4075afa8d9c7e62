// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>

namespace plimsoll::workspace {

/// What a file is meant as.
enum class FileKind : std::uint8_t {
    Graph, ///< or nothing known: its reader says what is wrong
    Plan,
    Measurement,
    Session,
};

/// By the content of its beginning. What can't be read counts as Graph.
[[nodiscard]] FileKind kindOf(const std::filesystem::path& path);

/// Why a file could not be read as a graph: `error`, or, where it is another kind of file, which.
[[nodiscard]] base::Error notAGraph(const std::filesystem::path& path, const base::Error& error);

} // namespace plimsoll::workspace
