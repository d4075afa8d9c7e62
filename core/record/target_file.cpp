// SPDX-License-Identifier: Apache-2.0
#include "core/record/target_file.h"

#include "core/capture/decode.h"
#include "core/capture/launch.h"
#include "core/io/byte_source.h"
#include "core/io/file_descriptor.h"
#include "core/io/input.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <system_error>

namespace plimsoll::record {

namespace {

namespace fs = std::filesystem;
using base::ErrorKind;

constexpr auto kDefaultStem = "recording";
constexpr auto kEnding = ".plmcap";
constexpr int kMostNames = 10'000;

fs::path freeName(const fs::path& folder)
{
    fs::path name = folder / (std::string{kDefaultStem} + kEnding);
    std::error_code error;
    for (int number = 2; number < kMostNames && fs::exists(name, error); ++number)
        name = folder / fmt::format("{}-{}{}", kDefaultStem, number, kEnding);
    return name;
}

/// Whether what is there may be replaced: an older recording, or an empty file.
bool isReplaceable(const fs::path& file)
{
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        return false;
    if (fs::file_size(file, error) == 0)
        return true;
    const auto head = io::readHead(file, 16);
    return head && capture::isCapture(*head);
}

void renameIfThere(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    if (fs::exists(from, error))
        fs::rename(from, to, error);
}

} // namespace

base::Result<fs::path> prepareFile(const std::string& wanted, const fs::path& folder,
                                   std::string_view option)
{
    const fs::path file = wanted.empty() ? freeName(folder) : folder / wanted;
    const std::string how = option.empty() ? "" : fmt::format(" with {}", option);
    std::error_code error;
    if (fs::exists(file, error) && !isReplaceable(file))
        return base::failure(ErrorKind::File,
                             fmt::format("{} is there and is no recording: choose another name{}.",
                                         io::pathText(file), how));
    const io::FileDescriptor made{::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)};
    if (!made.isOpen())
        return base::failure(ErrorKind::File,
                             fmt::format("{} can't be written ({}): choose another place{}.",
                                         io::pathText(file), io::systemText(errno), how));
    for (const fs::path& old : {file, capture::snapshotOf(file)})
        if (old == file || fs::is_regular_file(old, error))
            fs::remove(old, error);
    return file;
}

std::vector<fs::path> collectFiles(const fs::path& file, std::uint64_t run)
{
    std::vector<fs::path> files = capture::filesOfRun(file, run);
    if (files.size() == 1 && files.front() != file) {
        renameIfThere(capture::snapshotOf(files.front()), capture::snapshotOf(file));
        renameIfThere(files.front(), file);
        files = {file};
    }
    return files;
}

} // namespace plimsoll::record
