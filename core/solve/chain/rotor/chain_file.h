// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/solve/regions/chain.h"

#include <string_view>

namespace plimsoll::solve {

/// Reads the field's chain problem file: one object with the arrays ftime, btime, x, xbar, ftmp,
/// btmp. Other keys are ignored; errors name the file and the place.
[[nodiscard]] base::Result<Chain> readChain(std::string_view text);

/// Whether a file that begins so is meant as a chain.
[[nodiscard]] bool looksLikeChain(std::string_view head);

} // namespace plimsoll::solve
