// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace plimsoll::io {

/// A name beside the target that no other writer of this or another process uses.
[[nodiscard]] std::filesystem::path temporaryName(const std::filesystem::path& target);

/// Replaces the file as a whole: whoever opens `path` sees the old content or the new one, also
/// after a crash. A symbolic link is followed, also to a file that isn't there yet; permissions of
/// an existing file are kept. On failure the old file stays as it was.
[[nodiscard]] base::Result<void> writeAtomically(const std::filesystem::path& path,
                                                 std::string_view bytes);

} // namespace plimsoll::io
