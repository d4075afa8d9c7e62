// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>

class QAction;
class QMenu;

namespace plimsoll::ui {

/// Gives each entry of the menu and its submenus that has no mnemonic a letter of its own, as far
/// as there are letters. Entries that are added when the menu opens get theirs then.
void addMnemonics(QMenu& menu);
/// The same for the entries of a menu that a view makes of its actions.
void addMnemonics(const QList<QAction*>& actions);

} // namespace plimsoll::ui
