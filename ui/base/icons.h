// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QIcon>
#include <QRectF>
#include <QString>

class QPainter;

namespace plimsoll::ui {

/// An icon of resources/icons by its name ("undo", "recompute"), drawn at the device's resolution
/// in the colour the role has at paint time: `rest` normally, `current` when on or active.
[[nodiscard]] QIcon icon(const QString& name, Role rest = Role::Muted, Role current = Role::Text);
/// The program's own icon, in its own colours.
[[nodiscard]] QIcon applicationIcon();
/// Draws the icon into a rectangle in one colour.
void drawIcon(QPainter& painter, const QRectF& rect, const QString& name, const QColor& color);

} // namespace plimsoll::ui
