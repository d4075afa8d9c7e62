// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace plimsoll::io {

/// The bytes of a file, mapped into memory: a page is read when it is first used. For files that
/// are too large to hold in memory and are read in any order. If another program shortens the file
/// while it is mapped, this program ends (SIGBUS): stream files that may still be written.
class MappedFile
{
public:
    /// Fails with readFile's sentences if the file can't be read.
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
