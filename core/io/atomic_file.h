// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <functional>
#include <string_view>

namespace plimsoll::io {

/// A name beside the target that no other writer of this or another process uses.
[[nodiscard]] std::filesystem::path temporaryName(const std::filesystem::path& target);

/// Replaces the file as a whole: whoever opens `path` sees either the old or the new content, also
/// after a crash. Follows a symbolic link, also to a file that doesn't exist yet; keeps the
/// permissions of an existing file. On failure the old file is unchanged.
[[nodiscard]] base::Result<void> writeAtomically(const std::filesystem::path& path,
                                                 std::string_view bytes);

/// Takes the next part of a file's content. False: it can't be written, so that the rest need not
/// come.
using Put = std::function<bool(std::string_view part)>;

/// writeAtomically() for content that is too large to be made at once: `produce` passes it on in
/// parts. Its error ends the writing and leaves the old file.
[[nodiscard]] base::Result<void>
writeInParts(const std::filesystem::path& path,
             const std::function<base::Result<void>(const Put& put)>& produce);

} // namespace plimsoll::io
