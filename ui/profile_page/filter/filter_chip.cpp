// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/filter/filter_chip.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/filter/filter_suggestions.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kChipHeight = 24;
constexpr double kPadding = 9;
constexpr double kGap = 6;
constexpr double kCross = 22; ///< hit area; its mark is smaller
constexpr double kMostWidth = 260;

} // namespace

FilterChip::FilterChip(const memtrace::FilterTerm& term, QWidget* parent)
    : QAbstractButton{parent}
    , m_field{fieldTitle(term.field).toLower()}
    , m_value{fileText(term.value)}
{
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("Filter: %1 %2").arg(m_field, m_value));
    setAccessibleDescription(tr("Press Enter to edit it, Del to remove it."));
    setToolTip(plainTip(tr("%1 %2. Click to edit.").arg(m_field, m_value)));
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(this, &QAbstractButton::clicked, this, &FilterChip::editWanted);
}

QSize FilterChip::sizeHint() const
{
    const Theme& theme = Theme::current();
    const double text = nameWidth(theme.font(TextRole::Small), m_field)
                        + nameWidth(theme.font(TextRole::Small), m_value);
    const double width = text + theme.px(kPadding + kGap + kCross) + 2;
    return {static_cast<int>(std::ceil(std::min(width, 1.0 * theme.px(kMostWidth)))),
            static_cast<int>(theme.px(kChipHeight))};
}

QSize FilterChip::minimumSizeHint() const
{
    const Theme& theme = Theme::current();
    const double least =
        nameWidth(theme.font(TextRole::Small), m_field) + theme.px(kPadding + kGap + kCross + 24);
    return {std::min(sizeHint().width(), static_cast<int>(std::ceil(least))), sizeHint().height()};
}

QRectF FilterChip::cross() const
{
    const double side = Theme::current().px(kCross);
    return {width() - side, 0, side, 1.0 * height()};
}

void FilterChip::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    const QRectF frame = QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5);
    setShape(painter, QPen{theme.color(Role::Border), 1},
             theme.color(underMouse() ? Role::Raised : Role::Panel));
    painter.drawRoundedRect(frame, theme.px(5), theme.px(5));
    const QFont& font = theme.font(TextRole::Small);
    double x = theme.px(kPadding);
    ui::setText(painter, TextRole::Small, Role::Muted);
    drawName(painter, QPointF{x, baselineIn(frame, font)}, m_field);
    x += nameWidth(font, m_field) + theme.px(kGap);
    ui::setText(painter, TextRole::Small, Role::Text);
    drawName(painter, QPointF{x, baselineIn(frame, font)},
             fittedName(font, m_value, Qt::ElideRight, std::max(0.0, cross().left() - x)));
    const double mark = theme.px(9);
    drawIcon(painter,
             QRectF{cross().center().x() - mark / 2, cross().center().y() - mark / 2, mark, mark},
             QStringLiteral("close"), theme.color(Role::Muted));
    if (m_hasRing)
        drawFocusRing(painter, frame);
}

void FilterChip::mouseReleaseEvent(QMouseEvent* event)
{
    if (isDown() && event->button() == Qt::LeftButton && cross().contains(event->position())) {
        setDown(false);
        Q_EMIT removeWanted();
        return;
    }
    QAbstractButton::mouseReleaseEvent(event);
}

void FilterChip::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Delete:
    case Qt::Key_Backspace: Q_EMIT removeWanted(); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: Q_EMIT editWanted(); return;
    default: QAbstractButton::keyPressEvent(event);
    }
}

bool FilterChip::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing) || event->type() == QEvent::Enter
        || event->type() == QEvent::Leave)
        update();
    return QAbstractButton::event(event);
}

} // namespace plimsoll::ui
