// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temp_folder.h"

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace plimsoll::tests {

TempFolder::TempFolder()
{
    std::string pattern =
        (std::filesystem::temp_directory_path() / "plimsoll-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) {
        m_path = pattern;
    }
}

TempFolder::~TempFolder()
{
    if (!m_path.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
}

std::string TempFolder::file(std::string_view name) const
{
    return (m_path / name).string();
}

std::string TempFolder::fileWith(std::string_view name, std::string_view content) const
{
    std::string path = file(name);
    std::ofstream{path, std::ios::binary}.write(content.data(),
                                                static_cast<std::streamsize>(content.size()));
    return path;
}

} // namespace plimsoll::tests
