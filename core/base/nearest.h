// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::base {

/// The edit distance in bytes: insertions, deletions and replacements that turn one into the other.
[[nodiscard]] std::size_t editDistance(std::string_view one, std::string_view other);

/// At most `most` of `names`, those most similar to `name` first, ties in their order: suggestions
/// for a misspelt name.
[[nodiscard]] std::vector<std::string>
nearestNames(std::string_view name, const std::vector<std::string>& names, std::size_t most);

} // namespace plimsoll::base
