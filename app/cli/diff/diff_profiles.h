// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <cstddef>
#include <optional>
#include <string>

namespace plimsoll::cli {

/// Two memory profiles, and how to compare them.
struct ProfilePair
{
    std::string first;
    std::string second;
    std::string by = "frame";  ///< memtrace::findLiveBy()
    std::optional<int> device; ///< ordinal in both; none: of each the one with the highest peak
    std::optional<std::size_t> top; ///< groups to print
};

/// The answer of diff for what two profiles hold at their peaks. Throws VerbError.
[[nodiscard]] Answer diffProfiles(const ProfilePair& pair, const Common& common);

} // namespace plimsoll::cli
