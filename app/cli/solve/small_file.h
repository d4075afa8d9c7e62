// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/io/byte_source.h"

#include <filesystem>

namespace plimsoll::cli {

/// Far more than a plan or a chain takes; a plan of 100,000 ops has about 1 MB.
inline constexpr io::ReadLimits kSmallFile{.bytes = std::uint64_t{64} << 20U,
                                           .freeBytes = std::uint64_t{4} << 20U};

/// A small file's content as `read` takes it; errors about it are named after the file.
template <typename Content, typename Read>
[[nodiscard]] base::Result<Content> readSmall(const std::filesystem::path& path, const Read& read)
{
    const base::Result<io::FileContent> file = io::readFile(path, {}, kSmallFile);
    if (!file)
        return tl::unexpected{file.error()};
    base::Result<Content> content = read(file->bytes);
    if (content || content.error().kind != base::ErrorKind::File)
        return content;
    return base::failure(base::ErrorKind::File,
                         io::pathText(path) + ": " + content.error().message);
}

} // namespace plimsoll::cli
