// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/workspace/file_formats.h"

#include <filesystem>

namespace plimsoll::cli {

/// A small file's content as `read` takes it; errors about it are named after the file.
template <typename Content, typename Read>
[[nodiscard]] base::Result<Content> readSmall(const std::filesystem::path& path, const Read& read,
                                              const io::ReadLimits& limits = workspace::kTextLimits)
{
    base::Result<io::FileContent> file = io::readFile(path, {}, limits);
    if (!file)
        return tl::unexpected{file.error()};
    base::Result<Content> content = read(std::move(file->bytes));
    if (content || content.error().kind != base::ErrorKind::File)
        return content;
    return base::failure(base::ErrorKind::File,
                         io::pathText(path) + ": " + content.error().message);
}

} // namespace plimsoll::cli
