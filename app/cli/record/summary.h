// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/capture.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace plimsoll::cli {

/// A recording in short, for the user and for scripts.
[[nodiscard]] nlohmann::ordered_json summaryJson(const std::filesystem::path& file,
                                                 const capture::Capture& capture);
/// One line: the file, what is in it, and the most that each device held.
[[nodiscard]] std::string summaryLine(const std::filesystem::path& file,
                                      const capture::Capture& capture);
} // namespace plimsoll::cli
