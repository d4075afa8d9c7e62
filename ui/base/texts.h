// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <string_view>

namespace plimsoll::ui {

// Texts that come from files or their names, before they are shown. Everywhere the same.

/// Made safe to show: hidden characters and marks of writing direction are escaped as the command
/// line does it, and what is endless ends.
[[nodiscard]] QString fileText(std::string_view text);
[[nodiscard]] QString fileText(const QString& text);
/// For places that take what looks like HTML for HTML, as tool tips do.
[[nodiscard]] QString plainTip(const QString& text);
/// For places that take "&" for the mark of a key, as tabs and menus do.
[[nodiscard]] QString withoutMnemonic(QString text);

} // namespace plimsoll::ui
