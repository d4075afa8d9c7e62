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

/// Bytes behind the content that parsers may look at (they are zero): what simdjson asks for.
inline constexpr std::size_t kPadding = 64;

/// How much a file may grow in memory. Compressed files may hold `freeBytes` whatever their size;
/// beyond that, more than `ratio` bytes out of one byte in is taken for an attack.
struct ReadLimits
{
    std::uint64_t bytes = std::uint64_t{4} << 30U;
    std::uint64_t freeBytes = std::uint64_t{64} << 20U;
    std::uint64_t ratio = 250;
};

struct FileFacts
{
    bool compressed = false;
    std::uint64_t size = 0; ///< as it lies on the disk
};

/// Takes the next part of a file's content. An error of it ends the reading.
using Sink = std::function<base::Result<void>(std::string_view part, const FileFacts& file)>;

/// Reads a file from front to back, decompressing it when it begins like gzip (several members are
/// joined); no more than a part of some 100 KiB lies in memory at a time. Folders, devices, empty,
/// damaged and too large files are errors of kind File that name the file and, where one exists,
/// the offset. Reports progress up to the half.
[[nodiscard]] base::Result<void> streamFile(const std::filesystem::path& path, const Sink& sink,
                                            const base::JobContext& context = {},
                                            const ReadLimits& limits = {});

struct FileContent
{
    std::string bytes; ///< decompressed; its capacity exceeds its size by kPadding at least
    FileFacts file;
};

/// A whole file at once, as streamFile() reads it.
[[nodiscard]] base::Result<FileContent> readFile(const std::filesystem::path& path,
                                                 const base::JobContext& context = {},
                                                 const ReadLimits& limits = {});

/// Whether there is content to read at all: fails with readFile's sentence for what is missing, may
/// not be opened, is empty, a folder or a device. For libraries that open files themselves.
[[nodiscard]] base::Result<void> checkReadable(const std::filesystem::path& path);

/// The first `count` bytes (fewer in a shorter file) of the decompressed content: for sniffing.
[[nodiscard]] base::Result<std::string> readHead(const std::filesystem::path& path,
                                                 std::size_t count);

} // namespace plimsoll::io
