// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <string>

namespace plimsoll::cli {

/// The extensions of what exportProfile() writes: ".csv .json".
[[nodiscard]] std::string profileEndings();

/// Writes a profile's allocations (writers::profileWriters()), or its figures as JSON: what inspect
/// says, and what is live at the peak of each device by class and by frame. Throws VerbError.
[[nodiscard]] Answer exportProfile(const std::string& file, const std::string& output,
                                   const Common& common);

} // namespace plimsoll::cli
