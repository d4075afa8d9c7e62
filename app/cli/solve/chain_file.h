// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/regions/chain.h"

#include <filesystem>
#include <string_view>

namespace plimsoll::cli {

/// Reads the field's chain problem file: one object with the arrays ftime, btime, x, xbar, ftmp,
/// btmp. Other keys are ignored; errors name the file and the place.
[[nodiscard]] base::Result<solve::Chain> readChainText(std::string_view text);
[[nodiscard]] base::Result<solve::Chain> readChainFile(const std::filesystem::path& path);

} // namespace plimsoll::cli
