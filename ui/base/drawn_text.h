// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>

class QColor;
class QPainter;

namespace plimsoll::ui {

// Lines of text that are painted again and again while the budget line is dragged: what was drawn
// before is not shaped again. All of it belongs to the GUI thread, but works on others too.

/// Width of a text drawn by drawNumber.
[[nodiscard]] double numberWidth(const QFont& font, const QString& text);
/// Draws with the painter's font and pen; every digit is centred in a cell as wide as the widest
/// one. `pos` is on the baseline: at the left end, the centre or the right end of the text by
/// `align` (Qt::AlignLeft, Qt::AlignHCenter, Qt::AlignRight).
void drawNumber(QPainter& painter, QPointF pos, const QString& text, Qt::Alignment align);

/// Draws a name or path from `pos` on, its digits as wide as the font has them.
void drawName(QPainter& painter, QPointF pos, const QString& text);
[[nodiscard]] double nameWidth(const QFont& font, const QString& text);
/// The text, cut where it is wider than `width`.
[[nodiscard]] QString fittedName(const QFont& font, const QString& text, Qt::TextElideMode mode,
                                 double width);

/// As drawNumber and drawName, where the text stands on an opaque ground of one colour: on the
/// screen its picture is kept, ground and all. Blending smooth letters takes longer than all else
/// that a table's cell needs. The text stands on whole pixels.
void drawNumberOn(const QColor& ground, QPainter& painter, QPointF pos, const QString& text,
                  Qt::Alignment align);
void drawNameOn(const QColor& ground, QPainter& painter, QPointF pos, const QString& text);

} // namespace plimsoll::ui
