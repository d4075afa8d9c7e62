// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/pack/packing.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// A packing problem as text: a line of column names, then a line for each buffer. The columns id,
/// lower, upper and size are required, in any order; others are kept.
struct PackCsv
{
    std::string text;
    PackBuffers buffers;
    std::vector<std::pair<std::size_t, std::size_t>> lines; ///< begin and length in `text` of each
                                                            ///< buffer's line
    std::pair<std::size_t, std::size_t> header;
};

/// Errors of kind File begin with the line: "line 3: …".
[[nodiscard]] base::Result<PackCsv> readPackCsv(std::string text);

/// Whether a file with this beginning is meant as buffers to pack.
[[nodiscard]] bool looksLikePackCsv(std::string_view head);

/// The text with the offsets in its column `offset`, which is appended if it is missing. Lines end
/// in \n.
[[nodiscard]] std::string withOffsets(const PackCsv& csv, const PackOffsets& offsets);

} // namespace plimsoll::solve
