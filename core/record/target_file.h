// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::record {

/// Where to record: `wanted` in the folder, or a new name there if that is empty; without a folder
/// in the current one. A recording that is there is removed; anything else that is there is
/// refused, as is a folder that can't be written, before the program is started. `option` is how a
/// user gives another name, for errors: "-o".
[[nodiscard]] base::Result<std::filesystem::path>
prepareFile(const std::string& wanted, const std::filesystem::path& folder = {},
            std::string_view option = {});

/// The recordings of a run. If only one other process started CUDA, as under a shell script, its
/// recording and its snapshot get the main one's names.
[[nodiscard]] std::vector<std::filesystem::path> collectFiles(const std::filesystem::path& file,
                                                              std::uint64_t run);

} // namespace plimsoll::record
