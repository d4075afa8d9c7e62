// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/byte_source.h"
#include "core/io/mapped_file.h"

#include <memory>

namespace plimsoll::io {

/// The source of content: a file on disk, read as its reader needs it (by path, mapped, in parts,
/// as a whole), or content that is already in memory, such as a session's copy of a file. Not
/// shared between threads.
class Source
{
public:
    explicit Source(std::filesystem::path path);
    /// Decompressed content that was once read from `path`; its capacity exceeds its size by
    /// kPadding at least.
    Source(std::filesystem::path path, std::string content);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// The name shown in messages.
    [[nodiscard]] std::string name() const { return pathText(m_path); }

    /// Content that was passed in or has already been read as a whole.
    [[nodiscard]] bool isInMemory() const { return m_content != nullptr; }
    /// The first `count` bytes, decompressed; fewer if the content is shorter.
    [[nodiscard]] base::Result<std::string> head(std::size_t count) const;
    /// Everything, decompressed, in parts.
    [[nodiscard]] base::Result<void> stream(const Sink& sink, const base::JobContext& context = {},
                                            const ReadLimits& limits = {}) const;
    /// The file as stored on disk, compressed or not.
    [[nodiscard]] base::Result<MappedFile> map() const { return MappedFile::open(m_path); }
    /// Everything, decompressed, at once. Read once and cached.
    [[nodiscard]] base::Result<std::shared_ptr<const FileContent>>
    whole(const base::JobContext& context = {}, const ReadLimits& limits = {});

private:
    std::filesystem::path m_path;
    std::shared_ptr<const FileContent> m_content; ///< null: not read yet
};

} // namespace plimsoll::io
