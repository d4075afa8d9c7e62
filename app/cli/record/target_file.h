// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// Where to record: `wanted`, or a new name in the current folder if that is empty. A recording
/// that is there is removed; anything else that is there is refused, as is a folder that can't be
/// written, before the program is started.
[[nodiscard]] base::Result<std::filesystem::path> prepareFile(const std::string& wanted);

/// The recordings of a run. If only one other process started CUDA, as under a shell script, its
/// recording and its snapshot get the main one's names.
[[nodiscard]] std::vector<std::filesystem::path> collectFiles(const std::filesystem::path& file,
                                                              std::uint64_t run);

} // namespace plimsoll::cli
