// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace plimsoll::record {

/// A new folder below the system's temporary one, removed with the object.
class ScratchFolder
{
public:
    [[nodiscard]] static base::Result<ScratchFolder> make();
    ~ScratchFolder();
    ScratchFolder(ScratchFolder&& other) noexcept;
    ScratchFolder& operator=(ScratchFolder&&) = delete;
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    explicit ScratchFolder(std::filesystem::path path) : m_path{std::move(path)} {}

    std::filesystem::path m_path; ///< empty: moved from
};

} // namespace plimsoll::record
