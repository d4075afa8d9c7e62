// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace plimsoll::io {

/// The bytes of a file as they lie on the disk, mapped into memory: a page is read when it is first
/// looked at. For files too large to be held as a whole that are read in any order. Another program
/// that shortens the file while it is mapped ends this one (SIGBUS): files that may still be
/// written are streamed instead.
class MappedFile
{
public:
    /// Fails with readFile's sentences for what can't be read.
    [[nodiscard]] static base::Result<MappedFile> open(const std::filesystem::path& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::string_view bytes() const { return m_bytes; }

private:
    explicit MappedFile(std::string_view bytes) : m_bytes{bytes} {}

    std::string_view m_bytes; ///< empty: moved from
};

} // namespace plimsoll::io
