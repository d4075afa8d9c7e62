// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/capture/capture.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::record {

/// Records that nobody took in time.
[[nodiscard]] std::uint64_t lostRecords(const capture::Capture& capture);

/// What the user should know, a sentence each: what the recorder says, what was lost, how it ended.
[[nodiscard]] std::vector<std::string> warningsOf(const std::filesystem::path& file,
                                                  const capture::Capture& capture);

} // namespace plimsoll::record
