// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/regions/chain.h"

#include <string_view>

namespace plimsoll::solve {

/// Reads a chain problem file in the format of the literature: one object with the arrays ftime,
/// btime, x, xbar, ftmp, btmp. Ignores other keys; errors name the file and the place.
[[nodiscard]] base::Result<Chain> readChain(std::string_view text);

/// Whether a file with this beginning is meant as a chain.
[[nodiscard]] bool looksLikeChain(std::string_view head);

} // namespace plimsoll::solve
