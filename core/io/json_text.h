// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace plimsoll::io {

/// Parses what comes from outside, with or without a byte order mark: a text that is no JSON, nests
/// too deep, has a key twice in one object or too many values (json_check.h) is an error of kind
/// File, one sentence with the place.
[[nodiscard]] base::Result<nlohmann::json> parseJson(std::string_view text);

/// For readers' boundaries, where std::bad_alloc becomes a sentence.
[[nodiscard]] tl::unexpected<base::Error> tooLarge();

} // namespace plimsoll::io
