// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::ui {

/// Converts margins, spacings, spacers, icons and fixed sizes of every widget from one scale
/// (Theme::scale()) to another. The design's lengths are stored with the widgets, so scaling there
/// and back loses nothing. Widgets that set them on Theme::changed, which comes later, take
/// precedence.
void rescaleLayouts(double from, double to);

} // namespace plimsoll::ui
