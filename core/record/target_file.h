// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::record {

/// The recording, and PyTorch's snapshot beside it, that had the name of a new one. They lie beside
/// it under other names meanwhile; the destructor removes them if something was recorded, and puts
/// them back if nothing was: no file, or one that only says why.
class EarlierRecording
{
public:
    EarlierRecording() = default;
    /// Moves what has that name out of the way.
    explicit EarlierRecording(std::filesystem::path file);
    ~EarlierRecording() { settle(); }
    EarlierRecording(const EarlierRecording&) = delete;
    EarlierRecording& operator=(const EarlierRecording&) = delete;
    EarlierRecording(EarlierRecording&& other) noexcept : m_file{std::exchange(other.m_file, {})} {}
    EarlierRecording& operator=(EarlierRecording&& other) noexcept;

    /// Whether the destructor will put one back.
    [[nodiscard]] bool isKept() const;

private:
    void settle() noexcept;

    std::filesystem::path m_file; ///< empty: there is nothing to put back
};

enum class Existing : std::uint8_t { Replace, Refuse };

/// Where to record.
struct Target
{
    std::filesystem::path file;
    EarlierRecording earlier; ///< must live until the new recording is complete
};

/// `wanted` in the folder, or a new name there if that is empty; without a folder in the current
/// one. An earlier recording is replaced or refused; anything else that is there is refused, as is
/// a folder that can't be written, before the program is started. With `snapshot`, a file where the
/// snapshot is to be written is refused, unless it is that of the earlier recording. `option` is
/// how a user gives another name, for errors: "-o".
[[nodiscard]] base::Result<Target> prepareFile(const std::string& wanted,
                                               const std::filesystem::path& folder,
                                               Existing existing, bool snapshot,
                                               std::string_view option);

/// The recordings of a run. If only one other process started CUDA, as under a shell script, its
/// recording and its snapshot get the main one's names.
[[nodiscard]] std::vector<std::filesystem::path> collectFiles(const std::filesystem::path& file,
                                                              std::uint64_t run);

} // namespace plimsoll::record
