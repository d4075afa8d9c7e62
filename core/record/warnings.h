// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/capture/capture.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::record {

/// What the user should know, a sentence each: what the recorder says, what was lost, how it ended.
[[nodiscard]] std::vector<std::string> warningsOf(const std::filesystem::path& file,
                                                  const capture::Capture& capture);

/// Told of a run without a recording.
inline constexpr const char* kNothingRecorded =
    "The program never started CUDA, so nothing was recorded: check with nvidia-smi that there is "
    "a driver, and that the program uses the GPU.";

/// PyTorch's snapshot beside a recording, or why there is none.
[[nodiscard]] base::Result<std::filesystem::path> snapshotBeside(const std::filesystem::path& file);

} // namespace plimsoll::record
