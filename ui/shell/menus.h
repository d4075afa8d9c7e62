// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::ui {

class MainWindow;

/// Makes the window's actions and puts them into its menu bar.
void buildMenus(MainWindow& window);

} // namespace plimsoll::ui
