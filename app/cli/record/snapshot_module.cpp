// SPDX-License-Identifier: Apache-2.0
#include "app/cli/record/snapshot_module.h"

#include "core/base/try.h"
#include "core/io/atomic_file.h"
#include "core/io/input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace plimsoll::cli {

namespace fs = std::filesystem;

base::Result<SnapshotModule> SnapshotModule::write()
{
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "plimsoll-record-XXXXXX").native();
    if (error || mkdtemp(name.data()) == nullptr)
        return base::failure(base::ErrorKind::File,
                             fmt::format("No temporary folder can be made ({}): set TMPDIR to a "
                                         "folder with room.",
                                         error ? error.message() : io::systemText(errno)));
    SnapshotModule module{name};
    RETURN_IF_ERROR(io::writeAtomically(module.folder() / "sitecustomize.py", kSnapshotModule));
    return module;
}

SnapshotModule::SnapshotModule(SnapshotModule&& other) noexcept
    : m_folder{std::exchange(other.m_folder, {})}
{
}

SnapshotModule::~SnapshotModule()
{
    std::error_code error;
    if (!m_folder.empty())
        fs::remove_all(m_folder, error);
}

} // namespace plimsoll::cli
