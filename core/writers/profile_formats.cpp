// SPDX-License-Identifier: Apache-2.0
#include "core/writers/profile_formats.h"

#include "core/base/text.h"
#include "core/io/byte_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

namespace plimsoll::writers {

namespace {

/// ".csv" of "X.CSV".
std::string endingOf(const std::filesystem::path& path)
{
    return base::lowered(path.extension().string());
}

} // namespace

const std::vector<ProfileWriter>& profileWriters()
{
    static const std::vector<ProfileWriter> kWriters{
        {.id = "csv",
         .name = "Table of allocations",
         .extension = ".csv",
         .write = writeAllocations},
        {.id = "svg",
         .name = "Picture of the memory",
         .extension = ".svg",
         .write = writeProfilePicture},
    };
    return kWriters;
}

base::Result<void> writeProfileFile(const memtrace::MemoryTrace& trace,
                                    const std::filesystem::path& path,
                                    const std::filesystem::path& source,
                                    const base::JobContext& context)
{
    const std::string ending = endingOf(path);
    std::string endings;
    for (const ProfileWriter& writer : profileWriters()) {
        endings += (endings.empty() ? "" : " ") + writer.extension;
        if (writer.extension != ending)
            continue;
        std::error_code error;
        if (std::filesystem::equivalent(path, source, error) && !error)
            return base::failure(
                base::ErrorKind::File,
                fmt::format("{} is the profile that was read, so it is not overwritten.",
                            io::pathText(path)));
        return io::writeInParts(
            path, [&](const io::Put& put) { return writer.write(trace, put, context); });
    }
    return base::failure(base::ErrorKind::Usage,
                         fmt::format("{}: the extension selects the format of a profile, and must "
                                     "be one of {}.",
                                     io::pathText(path), endings));
}

} // namespace plimsoll::writers
