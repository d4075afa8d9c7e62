// SPDX-License-Identifier: Apache-2.0
#pragma once

class QMenu;

namespace plimsoll::ui {

/// Gives each entry of the menu and its submenus that has no mnemonic a letter of its own, as far
/// as there are letters. Entries that are added when the menu opens get theirs then.
void addMnemonics(QMenu& menu);

} // namespace plimsoll::ui
