// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace plimsoll::base {

/// A text as a field of a table: one line without invisible characters. Formulas are prefixed by an
/// apostrophe, so that no spreadsheet computes them, and text is quoted if it contains a comma or a
/// quote.
[[nodiscard]] std::string csvField(const std::string& text);

} // namespace plimsoll::base
