// SPDX-License-Identifier: Apache-2.0
#include "ui/base/widgets.h"

#include "ui/base/drawn_text.h"
#include "ui/base/kept_picture.h"
#include "ui/base/texts.h"

#include <QFocusEvent>
#include <QFontMetricsF>
#include <QLabel>
#include <QStylePainter>

#include <array>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

TextLabel::TextLabel(const QString& text, TextRole font, Role color, QWidget* parent)
    : QWidget{parent}, m_text{text}, m_font{font}, m_color{color}
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(text);
    connect(&Theme::current(), &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void TextLabel::setText(const QString& text)
{
    if (std::exchange(m_text, text) == text)
        return;
    setAccessibleName(text);
    if (!m_steadyWidth)
        updateGeometry();
    update();
}

void TextLabel::setSteady(int designPixels)
{
    m_steadyWidth = designPixels;
    updateGeometry();
}

void TextLabel::setColor(Role color)
{
    if (std::exchange(m_color, color) != color)
        update();
}

void TextLabel::setAlignment(Qt::Alignment alignment)
{
    m_alignment = alignment;
    update();
}

QSize TextLabel::sizeHint() const
{
    const QFont& font = Theme::current().font(m_font);
    const int width = m_steadyWidth ? Theme::current().px(*m_steadyWidth)
                                    : static_cast<int>(std::ceil(numberWidth(font, m_text))) + 1;
    return {width, QFontMetrics{font}.height() + 2};
}

void TextLabel::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const QFont& font = theme.font(m_font);
    const QString shown = numberWidth(font, m_text) > width()
                              ? fittedName(font, m_text, Qt::ElideRight, width())
                              : m_text;
    const QString tip = shown == m_text ? QString{} : plainTip(m_text);
    if (tip != toolTip())
        setToolTip(tip);

    QPainter painter{this};
    ui::setText(painter, m_font, isEnabled() ? m_color : Role::Faint);
    const QFontMetricsF metrics{font};
    const double baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
    double x = 0;
    if ((m_alignment & Qt::AlignRight) != 0)
        x = width();
    else if ((m_alignment & Qt::AlignHCenter) != 0)
        x = width() / 2.0;
    drawNumber(painter, QPointF{x, baseline}, shown, m_alignment & Qt::AlignHorizontal_Mask);
}

QStyleOptionComboBox FittingCombo::shown() const
{
    constexpr int kIconGap = 4; // as styles have it
    constexpr int kMargins = 2;
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const int room =
        style()
            ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this)
            .width()
        - kMargins;
    const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width() + kIconGap;
    if (fontMetrics().horizontalAdvance(option.currentText) > room - icon) {
        option.currentIcon = {};
        option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, room);
    }
    return option;
}

void FittingCombo::paintEvent(QPaintEvent* /*event*/)
{
    QStylePainter painter{this};
    painter.setPen(palette().color(QPalette::Text));
    const QStyleOptionComboBox option = shown();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

bool followFocus(const QEvent& event, bool& hasRing)
{
    if (event.type() != QEvent::FocusIn && event.type() != QEvent::FocusOut)
        return false;
    const Qt::FocusReason reason = static_cast<const QFocusEvent&>(event).reason();
    hasRing = event.type() == QEvent::FocusIn
              && (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason
                  || reason == Qt::ShortcutFocusReason);
    return true;
}

void drawFocusRing(QPainter& painter, const QRectF& rect)
{
    setShape(painter, QPen{Theme::current().color(Role::Accent), 2});
    painter.drawRect(rect.adjusted(-2, -2, 2, 2));
}

void setShape(QPainter& painter, const QPen& outline, const QBrush& area)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(outline);
    painter.setBrush(area);
}

void setText(QPainter& painter, TextRole font, Role color)
{
    painter.setFont(Theme::current().font(font));
    painter.setPen(Theme::current().color(color));
}

double baselineIn(const QRectF& rect, const QFont& font)
{
    const QFontMetricsF metrics{font};
    return rect.center().y() + (metrics.ascent() - metrics.descent()) / 2;
}

namespace {

void drawCardShapes(QPainter& painter, const QRectF& rect, double radius)
{
    const Theme& theme = Theme::current();
    constexpr std::array kLight{0.05, 0.03, 0.02};
    constexpr std::array kDark{0.12, 0.07, 0.05};
    painter.save();
    for (std::size_t layer = 3; layer-- > 0;) {
        const double spread = 1.0 + static_cast<double>(layer) * 1.5;
        const double alpha = theme.isDark() ? kDark.at(layer) : kLight.at(layer);
        setShape(painter, Qt::NoPen, QColor::fromRgbF(0, 0, 0, static_cast<float>(alpha)));
        painter.drawRoundedRect(rect.adjusted(-spread, -spread + 1, spread, spread + 1),
                                radius + spread, radius + spread);
    }
    setShape(painter, QPen{theme.color(Role::BorderStrong), 1}, theme.color(Role::Panel));
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter.restore();
}

} // namespace

void drawCard(QPainter& painter, const QRectF& rect, double radius)
{
    constexpr double kShadow = 6; // blur extent plus one pixel
    const QRectF card{QPointF{}, rect.size()};
    drawKept(painter, rect.topLeft(), QStringLiteral("card %1").arg(radius),
             card.adjusted(-kShadow, -kShadow, kShadow, kShadow),
             [&](QPainter& onto) { drawCardShapes(onto, card, radius); });
}

namespace {

template <typename Layout>
Layout* makeBox(QWidget* widget, int spacing, const QMargins& margins)
{
    const Theme& theme = Theme::current();
    auto* layout = new Layout{widget};
    layout->setContentsMargins(theme.px(margins.left()), theme.px(margins.top()),
                               theme.px(margins.right()), theme.px(margins.bottom()));
    layout->setSpacing(theme.px(spacing));
    return layout;
}

} // namespace

QHBoxLayout* makeRow(QWidget* widget, int spacing, const QMargins& margins)
{
    return makeBox<QHBoxLayout>(widget, spacing, margins);
}

QVBoxLayout* makeColumn(QWidget* widget, int spacing, const QMargins& margins)
{
    return makeBox<QVBoxLayout>(widget, spacing, margins);
}

QFormLayout* makeForm(QWidget* widget, int across, int down)
{
    auto* form = new QFormLayout{widget};
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(Theme::current().px(across));
    form->setVerticalSpacing(Theme::current().px(down));
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    return form;
}

TextLabel* makeFieldLabel(const QString& text, QWidget* parent)
{
    const Theme& theme = Theme::current();
    auto* label = new TextLabel{text, TextRole::Body, Role::Muted, parent};
    label->setMinimumSize(theme.px(kFieldLabelWidth), theme.rowHeight(28));
    return label;
}

void addField(QFormLayout& form, const QString& title, QWidget* field, const QString& tip)
{
    field->setAccessibleName(title);
    field->setToolTip(plainTip(tip));
    form.addRow(makeFieldLabel(title, field->parentWidget()), field);
}

QLabel* makeErrorLabel(QWidget* parent)
{
    auto* label = new QLabel{parent};
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::BrightText); // danger
    label->hide();
    return label;
}

} // namespace plimsoll::ui
