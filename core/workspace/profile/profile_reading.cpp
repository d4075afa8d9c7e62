// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/profile_reading.h"

#include "core/base/try.h"
#include "core/capture/launch.h"
#include "core/io/input.h"
#include "core/readers/registry.h"

#include <fmt/format.h>

#include <new>
#include <system_error>
#include <utility>

namespace plimsoll::workspace {

base::Result<ProfileReading> readAgain(const std::filesystem::path& path, const FileStamp& last,
                                       const ProfileSettings& settings, const base::JobContext& job)
try {
    ProfileReading reading;
    std::error_code error;
    // Before it is read: what is written meanwhile is found the next time.
    reading.stamp.bytes = std::filesystem::file_size(path, error);
    if (!error)
        reading.stamp.time = std::filesystem::last_write_time(path, error);
    // A recording is joined with the snapshot beside it.
    std::error_code none;
    reading.stamp.snapshot = std::filesystem::last_write_time(capture::snapshotOf(path), none);
    if (error)
        return base::failure(
            base::ErrorKind::File,
            fmt::format("{} can't be read ({}).", io::pathText(path), error.message()));
    if (reading.stamp == last)
        return reading;
    ASSIGN_OR_RETURN(readers::ReadProfile profile,
                     readers::readProfile(io::Source{path}, job.piece(0, 2)));
    ASSIGN_OR_RETURN(reading.picture, profilePicture(profile.trace, settings, job.piece(1, 2)));
    reading.trace = std::move(profile.trace);
    return reading;
} catch (const std::bad_alloc&) {
    return base::failure(
        base::ErrorKind::File,
        fmt::format("{} needs more memory than this computer has.", io::pathText(path)));
}

} // namespace plimsoll::workspace
