// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::ui {

/// Brings margins, spacings, spacers, icons and fixed sizes of every widget of the program from one
/// scale (Theme::scale()) to another. They are kept as lengths of the design behind the widgets, so
/// going there and back loses nothing. Who sets them anew on Theme::changed, which comes later,
/// wins.
void rescaleLayouts(double from, double to);

} // namespace plimsoll::ui
