// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>

#include <functional>

class QPainter;

namespace plimsoll::ui {

/// Draws what `draw` paints into `box` around the origin, at `pos`. On the screen it is painted
/// once and kept under `key`, together with the pixel ratio and the theme's darkness: for small
/// pictures with smooth edges that stand in every frame. Devices of shapes get the shapes.
void drawKept(QPainter& painter, const QPointF& pos, const QString& key, const QRectF& box,
              const std::function<void(QPainter&)>& draw);

} // namespace plimsoll::ui
