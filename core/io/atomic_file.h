// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace plimsoll::io {

/// A name beside the target that no other writer of this or another process uses.
[[nodiscard]] std::filesystem::path temporaryName(const std::filesystem::path& target);

/// Replaces the file as a whole: whoever opens `path` sees either the old or the new content, also
/// after a crash. Follows a symbolic link, also to a file that doesn't exist yet; keeps the
/// permissions of an existing file. On failure the old file is unchanged.
[[nodiscard]] base::Result<void> writeAtomically(const std::filesystem::path& path,
                                                 std::string_view bytes);

} // namespace plimsoll::io
