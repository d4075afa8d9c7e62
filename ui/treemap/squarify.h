// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRectF>

#include <span>
#include <vector>

namespace plimsoll::ui {

/// Divides an area among values, largest first, into rectangles whose areas are as the values and
/// whose sides are as equal as rows allow: "Squarified Treemaps", Bruls, Huizing, van Wijk 2000.
/// Values must be at least 0 and must not rise. Rectangles cover the area and don't overlap; those
/// of zeros are empty.
[[nodiscard]] std::vector<QRectF> squarified(std::span<const double> values, const QRectF& area);

} // namespace plimsoll::ui
