// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <string>

namespace plimsoll::cli {

/// Describes a memory profile.
[[nodiscard]] Answer inspectProfile(const std::string& file, const Common& common);

} // namespace plimsoll::cli
