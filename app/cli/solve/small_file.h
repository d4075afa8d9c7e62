// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/workspace/file_formats.h"

#include <filesystem>

namespace plimsoll::cli {

/// A small file's content as `read` takes it; errors about it are named after the file. A file that
/// is known to be of another kind is an error that says so.
template <typename Content, typename Read>
[[nodiscard]] base::Result<Content> readSmall(const std::filesystem::path& path,
                                              readers::FileKind kind, const Read& read,
                                              const io::ReadLimits& limits = workspace::kTextLimits)
{
    const readers::Registry formats = workspace::fileFormats();
    if (const auto found = formats.kindOf(path); found && *found != kind) {
        io::Source source{path};
        return tl::unexpected{formats.read(source, kind).error()};
    }
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
