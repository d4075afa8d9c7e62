// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/workspace/file_formats.h"

#include <filesystem>

namespace plimsoll::cli {

/// A small file's content as `read` parses it; errors name the file. A file of another known kind
/// is an error that says so.
template <typename Content, typename Read>
[[nodiscard]] Content readSmall(const std::filesystem::path& path, readers::FileKind kind,
                                const Read& read,
                                const io::ReadLimits& limits = workspace::kTextLimits)
{
    const readers::Registry formats = workspace::fileFormats();
    if (const auto found = formats.kindOf(path); found && *found != kind) {
        io::Source source{path};
        throw VerbError{formats.read(source, kind).error()};
    }
    base::Result<Content> content = read(orThrow(io::readFile(path, {}, limits)).bytes);
    if (!content && content.error().kind == base::ErrorKind::File)
        throw VerbError{base::ErrorKind::File, io::pathText(path) + ": " + content.error().message};
    return orThrow(std::move(content));
}

} // namespace plimsoll::cli
