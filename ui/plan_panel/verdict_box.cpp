// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/verdict_box.h"

#include "ui/base/icons.h"
#include "ui/base/widgets.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr int kLeft = 30; ///< room for the icon
constexpr int kRight = 10;
constexpr int kAbove = 8;
// The box keeps its height while sentences change: four lines, or two if it is wide.
constexpr int kLeastHeight = 78;
constexpr int kLeastWideHeight = 46;

struct Look
{
    Role ground;
    Role color; ///< of the icon
    const char* icon;
};

Look lookOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Good: return {Role::OkBg, Role::Ok, "verified"};
    case Verdict::Slow: return {Role::WarnBg, Role::Warn, "warn"};
    case Verdict::Bad: return {Role::DangerBg, Role::Danger, "error"};
    case Verdict::Neutral: break;
    }
    return {Role::Raised, Role::Muted, "info"};
}

} // namespace

VerdictBox::VerdictBox(QWidget* parent) : QWidget{parent}
{
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_layout.setTextOption(option);
    m_layout.setCacheEnabled(true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&Theme::current(), &Theme::changed, this, &VerdictBox::wrap);
    wrap();
}

void VerdictBox::show(Verdict verdict, const QString& sentence)
{
    if (verdict == m_verdict && sentence == m_layout.text())
        return;
    m_verdict = verdict;
    m_layout.setText(sentence);
    setAccessibleName(sentence);
    wrap();
}

void VerdictBox::setWide(bool isWide)
{
    if (std::exchange(m_isWide, isWide) != isWide)
        wrap();
}

void VerdictBox::wrap()
{
    const Theme& theme = Theme::current();
    m_layout.setFont(theme.font(TextRole::Body));
    const double width = std::max(1, this->width() - theme.px(kLeft) - theme.px(kRight));
    double height = 0;
    m_layout.beginLayout();
    for (QTextLine line = m_layout.createLine(); line.isValid(); line = m_layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition({0, height});
        height += line.height();
    }
    m_layout.endLayout();
    // Does nothing, not even a layout, if the height is unchanged.
    setFixedHeight(std::max(theme.px(m_isWide ? kLeastWideHeight : kLeastHeight),
                            static_cast<int>(std::ceil(height)) + 2 * theme.px(kAbove)));
    update();
}

QPointF VerdictBox::textCorner() const
{
    // Aligned to the top beside the icon, so that a shorter sentence doesn't move it in a drag.
    const Theme& theme = Theme::current();
    return QPoint{theme.px(kLeft), theme.px(kAbove)};
}

QRectF VerdictBox::textRect() const
{
    // Not the bounding rectangle, which has the available width even if the lines are shorter.
    double width = 0;
    for (int line = 0; line < m_layout.lineCount(); ++line)
        width = std::max(width, m_layout.lineAt(line).naturalTextWidth());
    return {textCorner(), QSizeF{width, m_layout.boundingRect().height()}};
}

void VerdictBox::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    const Look look = lookOf(m_verdict);
    setShape(painter, Qt::NoPen, theme.color(look.ground));
    painter.drawRoundedRect(rect(), 4, 4);
    const QRect spot{theme.px(10), theme.px(10), theme.px(14), theme.px(14)};
    drawIcon(painter, spot, QLatin1String{look.icon}, theme.color(look.color));
    painter.setPen(theme.color(Role::Text));
    m_layout.draw(&painter, textCorner());
}

void VerdictBox::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        wrap();
}

void VerdictBox::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu{this};
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Copy"), this,
                    [this] { QGuiApplication::clipboard()->setText(sentence()); });
    menu->popup(event->globalPos());
}

} // namespace plimsoll::ui
