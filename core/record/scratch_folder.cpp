// SPDX-License-Identifier: Apache-2.0
#include "core/record/scratch_folder.h"

#include "core/io/input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace plimsoll::record {

namespace fs = std::filesystem;

base::Result<ScratchFolder> ScratchFolder::make()
{
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "plimsoll-XXXXXX").native();
    if (error || mkdtemp(name.data()) == nullptr)
        return base::failure(base::ErrorKind::File,
                             fmt::format("No temporary folder can be made ({}): set TMPDIR to a "
                                         "folder with room.",
                                         error ? error.message() : io::systemText(errno)));
    return ScratchFolder{name};
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : m_path{std::exchange(other.m_path, {})}
{
}

ScratchFolder::~ScratchFolder()
{
    std::error_code error;
    if (!m_path.empty())
        fs::remove_all(m_path, error);
}

} // namespace plimsoll::record
