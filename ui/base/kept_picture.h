// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>

#include <functional>

class QPainter;

namespace plimsoll::ui {

/// Draws at `pos` what `draw` paints into `box` around the origin. On screen it is painted once and
/// cached under `key`, together with the pixel ratio and the theme's darkness: for small pictures
/// with smooth edges that appear in every frame. Vector devices get the shapes.
void drawKept(QPainter& painter, const QPointF& pos, const QString& key, const QRectF& box,
              const std::function<void(QPainter&)>& draw);

} // namespace plimsoll::ui
