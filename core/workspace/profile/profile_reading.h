// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"

#include <cstdint>
#include <filesystem>

namespace plimsoll::workspace {

/// Changes whenever a file is written.
struct FileStamp
{
    std::uintmax_t bytes = 0;
    std::filesystem::file_time_type time;
    std::filesystem::file_time_type snapshot; ///< of PyTorch's snapshot beside a recording

    bool operator==(const FileStamp&) const = default;
};

/// A profile's file as it was at a time.
struct ProfileReading
{
    FileStamp stamp;
    memtrace::MemoryTracePtr trace; ///< null: the file was not written since the last reading
    ProfilePicturePtr picture;      ///< for the settings that were asked for
};

/// Reads a profile's file again, if it has been written since `last`. A recording that is being
/// written is read up to its last complete chunk. Off the GUI thread.
[[nodiscard]] base::Result<ProfileReading> readAgain(const std::filesystem::path& path,
                                                     const FileStamp& last,
                                                     const ProfileSettings& settings,
                                                     const base::JobContext& job);

} // namespace plimsoll::workspace
