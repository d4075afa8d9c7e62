// SPDX-License-Identifier: Apache-2.0
#include "core/capture/launch.h"

#include "core/capture/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <system_error>

namespace plimsoll::capture {

namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::Result;

constexpr auto kInjection = "CUDA_INJECTION64_PATH";
constexpr auto kNvtx = "NVTX_INJECTION64_PATH";

std::string absoluteText(const fs::path& path)
{
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    return error ? path.native() : whole.native();
}

/// The number of the run that a capture file is of; its Process record is the first that is no
/// text.
std::optional<std::uint64_t> runOf(const fs::path& file)
{
    constexpr std::size_t kHead = std::size_t{16} << 10U;
    std::string bytes(kHead, '\0');
    std::ifstream stream{file, std::ios::binary};
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    if (!std::string_view{bytes}.starts_with(
            std::string_view{wire::kFileMagic.data(), wire::kFileMagic.size()}))
        return std::nullopt;
    std::size_t at = sizeof(wire::FileHead) + sizeof(wire::ChunkHead);
    while (at + sizeof(wire::Process) <= bytes.size()) {
        wire::Process process;
        std::memcpy(&process, bytes.data() + at, sizeof(process));
        if (process.head.kind == wire::Kind::Process)
            return process.run;
        if (process.head.kind != wire::Kind::Text || process.head.bytes == 0)
            return std::nullopt;
        at += process.head.bytes;
    }
    return std::nullopt;
}

/// Whether a name is that of a child's file: "step.4711.plmcap" beside "step.plmcap".
bool isBeside(const fs::path& file, const fs::path& other)
{
    const std::string stem = file.stem().native() + ".";
    const std::string name = other.filename().native();
    const std::string end = file.extension().native();
    return name.size() > stem.size() + end.size() && name.starts_with(stem) && name.ends_with(end);
}

} // namespace

Result<std::vector<Variable>> launchEnvironment(const LaunchRequest& request,
                                                const Environment& current)
{
    const std::string injection = absoluteText(request.injection);
    if (const auto other = current(kInjection);
        other && !other->empty() && *other != "none" && *other != injection)
        return base::failure(ErrorKind::Usage,
                             fmt::format("The variable {} loads another profiler ({}) into the "
                                         "program: unset it to record with Plimsoll.",
                                         kInjection, *other));
    std::vector<Variable> variables{{kInjection, injection},
                                    {"PLIMSOLL_CAPTURE_FILE", absoluteText(request.file)},
                                    {"PLIMSOLL_CAPTURE_RUN", fmt::format("{:016x}", request.run)}};
    if (!request.nvtx.empty() && !current(kNvtx))
        variables.push_back({kNvtx, absoluteText(request.nvtx)});
    if (request.tensors)
        variables.push_back({"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"});
    if (!request.snapshotModule.empty()) {
        const std::string before = current("PYTHONPATH").value_or("");
        variables.push_back({"PYTHONPATH", absoluteText(request.snapshotModule)
                                               + (before.empty() ? "" : ":" + before)});
        variables.push_back({"PLIMSOLL_SNAPSHOT_FILE", absoluteText(snapshotOf(request.file))});
    }
    return variables;
}

Result<fs::path> findLibrary(const std::string& name, const char* variable,
                             const fs::path& programFolder, const Environment& current)
{
    std::error_code error;
    if (const auto named = current(variable); named && !named->empty()) {
        if (fs::is_regular_file(*named, error))
            return fs::path{*named};
        return base::failure(
            ErrorKind::File,
            fmt::format("{} names {}, which is no file: correct or unset it.", variable, *named));
    }
    for (const fs::path& folder : {programFolder / ".." / "lib", programFolder})
        if (fs::is_regular_file(folder / name, error))
            return (folder / name).lexically_normal();
    return base::failure(
        ErrorKind::File,
        fmt::format("{} is not beside this program, which records nothing without it: build "
                    "Plimsoll where the headers of CUPTI are, or name it in {}.",
                    name, variable));
}

std::vector<fs::path> filesOfRun(const fs::path& file, std::uint64_t run)
{
    std::vector<fs::path> files;
    std::error_code error;
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path{"."};
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error))
        if (isBeside(file, entry->path()) && runOf(entry->path()) == run)
            files.push_back(file.has_parent_path() ? entry->path() : entry->path().filename());
    std::ranges::sort(files);
    if (runOf(file) == run)
        files.insert(files.begin(), file);
    return files;
}

fs::path snapshotOf(const fs::path& file)
{
    fs::path snapshot = file;
    return snapshot.replace_extension(".pickle");
}

} // namespace plimsoll::capture
