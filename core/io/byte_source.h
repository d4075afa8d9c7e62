// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/io/input.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace plimsoll::io {

/// Zero bytes after the content that parsers may read: what simdjson requires.
inline constexpr std::size_t kPadding = 64;

/// How large a file may become in memory. Compressed files may unpack to `freeBytes` whatever their
/// size; beyond that, a ratio above `ratio` is treated as an attack.
struct ReadLimits
{
    std::uint64_t bytes = std::uint64_t{4} << 30U;
    std::uint64_t freeBytes = std::uint64_t{64} << 20U;
    std::uint64_t ratio = 250;
};

struct FileFacts
{
    bool compressed = false;
    std::uint64_t size = 0; ///< as stored on disk
};

/// Takes the next part of a file's content. Its error ends the reading.
using Sink = std::function<base::Result<void>(std::string_view part, const FileFacts& file)>;

/// Reads a file from front to back and decompresses it if it starts like gzip (several members are
/// joined); holds no more than about 100 KiB in memory at a time. Folders, devices, and empty,
/// damaged or too large files are errors of kind File that name the file and, where there is one,
/// the offset. Reports progress up to one half.
[[nodiscard]] base::Result<void> streamFile(const std::filesystem::path& path, const Sink& sink,
                                            const base::JobContext& context = {},
                                            const ReadLimits& limits = {});

struct FileContent
{
    std::string bytes; ///< decompressed; its capacity exceeds its size by kPadding at least
    FileFacts file;
};

/// Reads a whole file at once, as streamFile() does.
[[nodiscard]] base::Result<FileContent> readFile(const std::filesystem::path& path,
                                                 const base::JobContext& context = {},
                                                 const ReadLimits& limits = {});

/// Whether the file can be read at all: fails with readFile's sentence if it is missing, not
/// permitted, empty, a folder or a device. For libraries that open files themselves.
[[nodiscard]] base::Result<void> checkReadable(const std::filesystem::path& path);

/// The first `count` bytes (fewer in a shorter file) of the decompressed content: for sniffing.
[[nodiscard]] base::Result<std::string> readHead(const std::filesystem::path& path,
                                                 std::size_t count);

} // namespace plimsoll::io
