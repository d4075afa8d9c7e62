// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/patterns.h"
#include "ui/timeline/stack_columns.h"

#include <QColor>
#include <QImage>
#include <QPoint>

class QPainter;

namespace plimsoll::ui {

struct StackInks
{
    QColor separator; ///< between layers
    QColor outline;   ///< of the sum
};

/// Fills the columns pixel by pixel: cost depends on the area only. Transparent above the sum.
/// `anchor` is the widget position of the image's corner in device pixels, so that patterns stand
/// still. `reuse` gives its memory back when the size still fits.
[[nodiscard]] QImage rasterStack(const StackColumns& columns, const FillTiles& tiles,
                                 const StackInks& inks, QSize size, QPoint anchor,
                                 double devicePixelRatio, QImage reuse = {});

/// The same picture as shapes, for SVG. Units are columns; the painter's origin is the plot's
/// corner.
void drawStackShapes(QPainter& painter, const StackColumns& columns, const Theme& theme);

} // namespace plimsoll::ui
