// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <string_view>

namespace plimsoll::ui {

// Texts that come from files or their names, before they are shown. The same everywhere.

/// Makes a text safe to show: escapes hidden characters and direction marks as the command line
/// does, and truncates very long texts.
[[nodiscard]] QString fileText(std::string_view text);
[[nodiscard]] QString fileText(const QString& text);
/// A device of a recording: "GPU 0"; -1: "Pinned host memory".
[[nodiscard]] QString deviceText(int ordinal);
/// For places that interpret HTML, such as tool tips.
[[nodiscard]] QString plainTip(const QString& text);
/// For places in which "&" marks a mnemonic, such as tabs and menus.
[[nodiscard]] QString withoutMnemonic(QString text);

} // namespace plimsoll::ui
