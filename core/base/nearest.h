// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::base {

/// The fewest single characters (bytes) to put in, take out or replace that make one of the other.
[[nodiscard]] std::size_t editDistance(std::string_view one, std::string_view other);

/// Of `names` the at most `most` that differ least from `name`, the nearest first, equally near
/// ones in their order: what somebody may have meant.
[[nodiscard]] std::vector<std::string>
nearestNames(std::string_view name, const std::vector<std::string>& names, std::size_t most);

} // namespace plimsoll::base
