// SPDX-License-Identifier: Apache-2.0
#include "core/record/recording.h"

#include "core/capture/decode.h"
#include "core/io/input.h"
#include "core/io/mapped_file.h"

#include <cstdlib>
#include <random>
#include <system_error>
#include <utility>

namespace plimsoll::record {

namespace {

namespace fs = std::filesystem;

base::Result<fs::path> library(const char* name, const char* named)
{
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    return capture::findLibrary(name, named, folder, variable);
}

} // namespace

std::optional<std::string> variable(const std::string& name)
{
    // No thread of this program sets any. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char* const value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>{value} : std::nullopt;
}

std::uint64_t newRun()
{
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
}

base::Result<capture::LaunchRequest> launchRequest(const fs::path& file, std::uint64_t run)
{
    return library("libplimsoll_inject.so", "PLIMSOLL_INJECT").map([&](fs::path injection) {
        return capture::LaunchRequest{
            .file = file,
            .injection = std::move(injection),
            .nvtx = library("libplimsoll_nvtx.so", "PLIMSOLL_NVTX").value_or(fs::path{}),
            .run = run,
            .tensors = false,
            .snapshotModule = {}};
    });
}

base::Result<capture::Capture> readCapture(const fs::path& file)
{
    return io::MappedFile::open(file).and_then([&](const io::MappedFile& mapped) {
        return capture::decode(mapped.bytes(), io::pathText(file));
    });
}

} // namespace plimsoll::record
