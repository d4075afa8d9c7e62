// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace plimsoll::plan {

/// Parses what comes from outside: a text that is no JSON, nests too deep or has a key twice in one
/// object is an error of kind File, one sentence with the place.
[[nodiscard]] base::Result<nlohmann::json> parseJson(std::string_view text);

} // namespace plimsoll::plan
