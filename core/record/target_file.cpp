// SPDX-License-Identifier: Apache-2.0
#include "core/record/target_file.h"

#include "core/capture/decode.h"
#include "core/capture/launch.h"
#include "core/io/byte_source.h"
#include "core/io/file_descriptor.h"
#include "core/io/input.h"
#include "core/record/recording.h"

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

/// A pickle of protocols 2 to 5, as snapshots are. Anything else that has the name isn't ours.
bool isPickle(const fs::path& file)
{
    std::error_code error;
    const auto head = fs::is_regular_file(file, error) ? io::readHead(file, 2) : std::string{};
    return head && head->size() == 2 && (*head)[0] == '\x80' && (*head)[1] >= 2 && (*head)[1] <= 5;
}

/// Whether something was recorded: not only why nothing could be.
bool holdsRecords(const fs::path& file)
{
    const base::Result<capture::Capture> capture = readCapture(file);
    return capture
           && !(capture->memory.empty() && capture->mappings.empty() && capture->kernels.empty()
                && capture->copies.empty());
}

void renameIfThere(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    if (fs::exists(from, error))
        fs::rename(from, to, error);
}

fs::path aside(fs::path file)
{
    return file += ".earlier";
}

} // namespace

EarlierRecording::EarlierRecording(fs::path file)
{
    std::error_code error;
    fs::rename(file, aside(file), error);
    if (error)
        return;
    const fs::path snapshot = capture::snapshotOf(file);
    if (isPickle(snapshot))
        fs::rename(snapshot, aside(snapshot), error);
    m_file = std::move(file);
}

EarlierRecording& EarlierRecording::operator=(EarlierRecording&& other) noexcept
{
    if (this != &other) {
        settle();
        m_file = std::exchange(other.m_file, {});
    }
    return *this;
}

bool EarlierRecording::isKept() const
{
    return !m_file.empty() && !holdsRecords(m_file);
}

void EarlierRecording::settle() noexcept
{
    if (m_file.empty())
        return;
    const bool putsBack = isKept();
    std::error_code error;
    for (const fs::path& file : {m_file, capture::snapshotOf(m_file)})
        if (!putsBack)
            fs::remove(aside(file), error);
        else
            renameIfThere(aside(file), file);
    m_file.clear();
}

base::Result<Target> prepareFile(const std::string& wanted, const fs::path& folder,
                                 Existing existing, bool snapshot, std::string_view option)
{
    fs::path file = wanted.empty() ? freeName(folder) : folder / wanted;
    const std::string how = option.empty() ? "" : fmt::format(" with {}", option);
    const auto refuse = [&](std::string_view sentence, const fs::path& which) {
        return base::failure(ErrorKind::File,
                             fmt::format("{} {}{}.", io::pathText(which), sentence, how));
    };
    std::error_code error;
    const bool exists = fs::exists(file, error);
    if (exists && !isReplaceable(file))
        return refuse("is there and is no recording: choose another name", file);
    if (exists && existing == Existing::Refuse)
        return refuse("is there already: choose another name, or leave the field empty for a new "
                      "one",
                      file);
    const fs::path beside = capture::snapshotOf(file);
    if (snapshot && fs::exists(beside, error) && !(exists && isPickle(beside)))
        return refuse("is there, where PyTorch's snapshot is to be written: choose another name",
                      beside);
    const io::FileDescriptor made{::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)};
    if (!made.isOpen())
        return refuse(
            fmt::format("can't be written ({}): choose another place", io::systemText(errno)),
            file);
    Target target{.file = file, .earlier = {}};
    if (exists && fs::file_size(file, error) > 0)
        target.earlier = EarlierRecording{std::move(file)};
    else
        fs::remove(file, error);
    return target;
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
