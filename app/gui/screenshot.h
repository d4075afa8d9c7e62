// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/composition.h"

namespace plimsoll::ui {
class MainWindow;
}

namespace plimsoll::gui {

/// Waits until everything is opened and planned, writes the picture, and ends the program; exit
/// status 1 when the picture can't be written.
void takeScreenshot(ui::MainWindow& window, const Arguments& arguments);

} // namespace plimsoll::gui
