// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"

#include <QWidget>

#include <optional>

class QPainter;

namespace plimsoll::ui {

/// One line of text in a role's font and colour, elided where it doesn't fit; the whole text is
/// then the tool tip. Digits have equal widths, so changing numbers don't dance.
class TextLabel : public QWidget
{
    Q_OBJECT

public:
    explicit TextLabel(const QString& text, TextRole font = TextRole::Body, Role color = Role::Text,
                       QWidget* parent = nullptr);

    [[nodiscard]] QString text() const { return m_text; }
    void setText(const QString& text);
    void setColor(Role color);
    void setAlignment(Qt::Alignment alignment);
    void setElideMode(Qt::TextElideMode mode);
    /// From now on the text decides nothing about the place: the label asks for this width, and
    /// another text asks for no new layout. For figures that change while the hand drags.
    void setSteady(int designPixels = 0);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    TextRole m_font;
    Role m_color;
    std::optional<int> m_steadyWidth; ///< before scaling
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
    Qt::TextElideMode m_elide = Qt::ElideRight;
};

/// Whether a focus that came for this reason is shown: only keys bring the ring.
[[nodiscard]] bool showsFocusRing(Qt::FocusReason reason);

/// A floating card: shadow of three stacked rounded rectangles, panel ground, border.
void drawCard(QPainter& painter, const QRectF& rect, double radius = 6.0);

} // namespace plimsoll::ui
