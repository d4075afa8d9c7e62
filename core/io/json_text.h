// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace plimsoll::io {

/// Parses untrusted JSON, with or without a byte order mark. A text that isn't JSON, nests too
/// deeply, repeats a key in one object or has too many values (json_check.h) is an error of kind
/// File, one sentence with the place.
[[nodiscard]] base::Result<nlohmann::json> parseJson(std::string_view text);

/// For the boundaries of readers, which turn std::bad_alloc into an error.
[[nodiscard]] tl::unexpected<base::Error> tooLarge();

} // namespace plimsoll::io
