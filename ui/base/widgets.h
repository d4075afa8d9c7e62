// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QMargins>
#include <QPainter>
#include <QStyleOptionComboBox>
#include <QVBoxLayout>
#include <QWidget>

#include <optional>

class QLabel;

namespace plimsoll::ui {

/// One line of text in a role's font and colour, elided if it doesn't fit; the tool tip then shows
/// the whole text. Digits have equal widths, so changing numbers don't shift.
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
    /// Fixes the label's width, so that another text requests no new layout. For figures that
    /// change during a drag.
    void setSteady(int designPixels = 0);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    TextRole m_font;
    Role m_color;
    std::optional<int> m_steadyWidth; ///< before scaling
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
};

/// A combo box that shows a text without its icon, or elided in the middle, rather than cut.
class FittingCombo : public QComboBox
{
    Q_OBJECT

public:
    using QComboBox::QComboBox;

    /// What is painted of the current item.
    [[nodiscard]] QStyleOptionComboBox shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// Updates whether the focus is shown when it comes or goes: only keys show the ring. False if the
/// event is neither.
bool followFocus(const QEvent& event, bool& hasRing);
/// Draws the ring around a focused item.
void drawFocusRing(QPainter& painter, const QRectF& rect);

/// Sets up the painter for shapes: outline and fill, with smooth edges.
void setShape(QPainter& painter, const QPen& outline, const QBrush& area = Qt::NoBrush);
/// Sets up the painter for text.
void setText(QPainter& painter, TextRole font, Role color);
/// The baseline of a line of text centred in the rectangle.
[[nodiscard]] double baselineIn(const QRectF& rect, const QFont& font);
/// A floating card: shadow of three stacked rounded rectangles, panel ground, border.
void drawCard(QPainter& painter, const QRectF& rect, double radius = 6.0);

// Layouts and the parts of forms. All lengths are before scaling.

/// As wide as the labels of the window's forms, so that their fields line up.
inline constexpr int kFieldLabelWidth = 58;

/// `widget` may be null: the layout is then added to another one.
QHBoxLayout* makeRow(QWidget* widget, int spacing = 0, const QMargins& margins = {});
QVBoxLayout* makeColumn(QWidget* widget, int spacing = 0, const QMargins& margins = {});
/// Fields take the available width; `across` is the space between labels and fields, `down` between
/// rows.
QFormLayout* makeForm(QWidget* widget, int across, int down);
[[nodiscard]] TextLabel* makeFieldLabel(const QString& text, QWidget* parent);
/// Adds a row to a form; screen readers read the title, the tip is plain text.
void addField(QFormLayout& form, const QString& title, QWidget* field, const QString& tip = {});
/// A label for what is wrong with a field: in the colour of danger, wrapped, hidden at first.
[[nodiscard]] QLabel* makeErrorLabel(QWidget* parent);

} // namespace plimsoll::ui
