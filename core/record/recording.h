// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/capture/capture.h"
#include "core/capture/launch.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace plimsoll::record {

/// An environment variable of this program.
[[nodiscard]] std::optional<std::string> variable(const std::string& name);

/// A number that the files of one run share.
[[nodiscard]] std::uint64_t newRun();

/// What to record of a program, with the libraries that are beside this one; the rest is to be set
/// by the caller. An error if the recording one is nowhere.
[[nodiscard]] base::Result<capture::LaunchRequest> launchRequest(const std::filesystem::path& file,
                                                                 std::uint64_t run);

[[nodiscard]] base::Result<capture::Capture> readCapture(const std::filesystem::path& file);

} // namespace plimsoll::record
