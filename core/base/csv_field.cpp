// SPDX-License-Identifier: Apache-2.0
#include "core/base/csv_field.h"

#include "core/base/format.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::base {

namespace {

constexpr std::size_t kMostBytes = 32000; ///< what spreadsheets take in one cell

/// Leading characters that spreadsheets take for a formula, including full-width ones.
bool looksLikeFormula(std::string_view text)
{
    static constexpr std::array<std::string_view, 8> kSigns{"=",  "+",  "-",  "@",
                                                            "＝", "＋", "－", "＠"};
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::ranges::any_of(kSigns,
                               [text](std::string_view sign) { return text.starts_with(sign); });
}

} // namespace

std::string csvField(const std::string& text)
{
    std::string safe = printable(text, kMostBytes);
    if (looksLikeFormula(safe))
        safe.insert(0, "'");
    if (safe.find_first_of(",\"") == std::string::npos)
        return safe;
    std::string quoted = "\"";
    for (const char c : safe) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

} // namespace plimsoll::base
