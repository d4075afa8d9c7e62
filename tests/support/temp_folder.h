// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// A fresh folder below the system's temporary one, removed with all that is in it.
class TempFolder
{
public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    TempFolder(TempFolder&&) = delete;
    TempFolder& operator=(TempFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// Where a file of that name is to be written.
    [[nodiscard]] std::string file(std::string_view name) const;

    /// Writes a file of that content and returns its path.
    [[nodiscard]] std::string fileWith(std::string_view name, std::string_view content) const;

private:
    std::filesystem::path m_path;
};

} // namespace plimsoll::tests
