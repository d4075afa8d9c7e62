// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QPointF>
#include <QString>

class QColor;
class QPainter;

namespace plimsoll::ui {

// Lines of text that are painted repeatedly while the budget line is dragged: text that was drawn
// before isn't shaped again. Meant for the GUI thread, but works on others too.

/// Width of a text drawn by drawNumber.
[[nodiscard]] double numberWidth(const QFont& font, const QString& text);
/// Draws with the painter's font and pen; every digit is centred in a cell as wide as the widest
/// one. `pos` is on the baseline: at the left end, the centre or the right end of the text by
/// `align` (Qt::AlignLeft, Qt::AlignHCenter, Qt::AlignRight).
void drawNumber(QPainter& painter, QPointF pos, const QString& text, Qt::Alignment align);

/// Draws a name or path from `pos` on, with the font's own widths of digits.
void drawName(QPainter& painter, QPointF pos, const QString& text);
[[nodiscard]] double nameWidth(const QFont& font, const QString& text);
/// The text, elided if it is wider than `width`.
[[nodiscard]] QString fittedName(const QFont& font, const QString& text, Qt::TextElideMode mode,
                                 double width);

/// Like drawNumber and drawName, for text on an opaque ground of one colour: on screen its picture
/// is cached, ground included, since blending smooth letters takes longer than everything else in a
/// table's cell. The text is placed on whole pixels.
void drawNumberOn(const QColor& ground, QPainter& painter, QPointF pos, const QString& text,
                  Qt::Alignment align);
void drawNameOn(const QColor& ground, QPainter& painter, QPointF pos, const QString& text);

} // namespace plimsoll::ui
