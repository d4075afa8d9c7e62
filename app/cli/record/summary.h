// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/capture.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// A recording in short, for the user and for scripts.
[[nodiscard]] nlohmann::ordered_json summaryJson(const std::filesystem::path& file,
                                                 const capture::Capture& capture);
/// One line: the file, what is in it, and the most that each device held.
[[nodiscard]] std::string summaryLine(const std::filesystem::path& file,
                                      const capture::Capture& capture);
/// What the user should know, a sentence each: what the recorder says, what was lost, how it ended.
[[nodiscard]] std::vector<std::string> warningsOf(const std::filesystem::path& file,
                                                  const capture::Capture& capture);

} // namespace plimsoll::cli
