// SPDX-License-Identifier: Apache-2.0
#include "ui/flame/flame_view.h"

#include "ui/base/drawn_text.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/timeline/paint_context.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kRow = 20;
constexpr double kFlameMargin = 8;
constexpr double kLeastBar = 0.7; ///< pixels; narrower ones are left out with what is below them
constexpr double kLeastText = 28;

/// Bars are tinted, so that the text on them stays the theme's.
QColor tintOf(const Theme& theme, const timeline::Layer& layer, double strength)
{
    return mixed(theme.color(classRole(layer.ink)), strength, theme.color(Role::Panel));
}

} // namespace

FlameView::FlameView(Texts texts, QWidget* parent) : QWidget{parent}, m_texts{std::move(texts)}
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&Theme::current(), &Theme::changed, this, &FlameView::layOut);
}

void FlameView::setFlame(FlamePtr flame)
{
    // The same function stays the widest, if it is there again.
    std::uint32_t widest = 0;
    if (m_flame && flame && m_widest != 0)
        for (std::uint32_t i = 1; i < flame->nodes.size() && widest == 0; ++i)
            if (flame->nodes[i].depth == at(m_widest).depth
                && flame->nodes[i].name == at(m_widest).name)
                widest = i;
    m_flame = std::move(flame);
    m_widest = widest;
    m_current.reset();
    layOut();
}

void FlameView::setWidest(std::uint32_t node)
{
    m_widest = node;
    layOut();
}

bool FlameView::goBack()
{
    if (m_widest == 0)
        return false;
    setWidest(0);
    return true;
}

QSize FlameView::sizeHint() const
{
    const Theme& theme = Theme::current();
    return {320, theme.px(kRow * (m_deepest + 1) + kFlameMargin)};
}

void FlameView::layOut()
{
    m_bars.clear();
    m_deepest = 0;
    if (m_flame && at(m_widest).weight > 0) {
        const double margin = Theme::current().px(kFlameMargin);
        const double room = std::max(0.0, width() - 2 * margin);
        std::vector<std::uint32_t> callers;
        for (std::uint32_t node = m_widest; node != 0; node = at(node).parent)
            callers.push_back(at(node).parent);
        const double row = Theme::current().px(kRow);
        for (const std::uint32_t caller : callers)
            m_bars.push_back({caller, {margin, at(caller).depth * row, room, row}});
        place(m_widest, margin, room);
    }
    updateGeometry();
    update();
}

void FlameView::place(std::uint32_t node, double left, double width)
{
    const double row = Theme::current().px(kRow);
    // Depth first, without recursion: a recording says how deep its stacks are.
    std::vector<Bar> pending{{node, {left, at(node).depth * row, width, row}}};
    while (!pending.empty()) {
        const Bar bar = pending.back();
        pending.pop_back();
        m_bars.push_back(bar);
        m_deepest = std::max(m_deepest, at(bar.node).depth);
        double x = bar.rect.left();
        for (const std::uint32_t child : at(bar.node).children) {
            const double wide = at(child).weight / at(bar.node).weight * bar.rect.width();
            if (wide < kLeastBar)
                break; // the others are narrower still
            pending.push_back({child, {x, at(child).depth * row, wide, row}});
            x += wide;
        }
    }
}

std::optional<std::uint32_t> FlameView::nodeAt(const QPointF& pos) const
{
    const auto found =
        std::ranges::find_if(m_bars, [&](const Bar& bar) { return bar.rect.contains(pos); });
    return found == m_bars.end() ? std::nullopt : std::optional{found->node};
}

QRectF FlameView::rectOf(std::uint32_t node) const
{
    const auto found = std::ranges::find(m_bars, node, &Bar::node);
    return found == m_bars.end() ? QRectF{} : found->rect;
}

void FlameView::paintBar(QPainter& painter, const Bar& bar) const
{
    const Theme& theme = Theme::current();
    const bool isCaller = at(bar.node).depth < at(m_widest).depth;
    const QRectF rect = bar.rect.adjusted(0, 0, bar.rect.width() > 3 ? -1 : 0, -1);
    const QColor ground =
        tintOf(theme, m_flame->layers->at(at(bar.node).mainLayer), isCaller ? 0.14 : 0.42);
    painter.fillRect(rect, ground);
    const double padding = theme.px(5);
    if (rect.width() < theme.px(kLeastText))
        return;
    const QFont& font = theme.font(TextRole::Small);
    setText(painter, TextRole::Small, isCaller ? Role::Muted : Role::Text);
    drawName(
        painter, QPointF{rect.left() + padding, baselineIn(rect, font)},
        fittedName(font, m_texts.name(at(bar.node)), Qt::ElideRight, rect.width() - 2 * padding));
}

void FlameView::paintEvent(QPaintEvent* event)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    painter.fillRect(event->rect(), theme.color(Role::Panel));
    for (const Bar& bar : m_bars)
        if (bar.rect.intersects(QRectF{event->rect()}))
            paintBar(painter, bar);
    if (m_current)
        if (const QRectF rect = rectOf(*m_current); !rect.isNull()) {
            setShape(painter, QPen{theme.color(Role::Accent), 2});
            painter.drawRect(rect.adjusted(1, 1, -1, -2));
        }
    if (m_hasRing)
        drawFocusRing(painter, QRectF{rect()}.adjusted(2, 2, -2, -2));
}

void FlameView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void FlameView::setCurrent(std::optional<std::uint32_t> node)
{
    m_current = node;
    setAccessibleDescription(node ? m_texts.tip(at(*node), at(0).weight) : QString{});
    update();
}

void FlameView::choose(std::optional<std::uint32_t> node)
{
    if (node == m_current)
        return;
    setCurrent(node);
    Q_EMIT currentChanged(node);
}

void FlameView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const std::optional<std::uint32_t> node = nodeAt(event->position());
    choose(node);
    if (node)
        setWidest(*node);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event)
{
    // The first press has made the bar wider: it is still below the pointer.
    if (m_current && event->button() == Qt::LeftButton)
        Q_EMIT activated(*m_current);
}

void FlameView::contextMenuEvent(QContextMenuEvent* event)
{
    std::optional<std::uint32_t> node = m_current;
    QPoint pos = event->globalPos();
    if (event->reason() == QContextMenuEvent::Mouse)
        node = nodeAt(QPointF{event->pos()});
    else if (node)
        pos = mapToGlobal(rectOf(*node).center().toPoint());
    if (!node)
        return;
    choose(node);
    Q_EMIT menuWanted(*node, pos);
}

void FlameView::keyPressEvent(QKeyEvent* event)
{
    if (!m_flame || m_flame->nodes.empty())
        return QWidget::keyPressEvent(event);
    const std::uint32_t now = m_current.value_or(m_widest);
    const std::vector<std::uint32_t>& siblings =
        now == 0 ? at(0).children : at(at(now).parent).children;
    const auto place = std::ranges::find(siblings, now);
    switch (event->key()) {
    case Qt::Key_Up: choose(now == 0 ? 0 : at(now).parent); return;
    case Qt::Key_Down:
        if (!at(now).children.empty())
            choose(at(now).children.front());
        return;
    case Qt::Key_Left:
        if (place != siblings.end() && place != siblings.begin())
            choose(*std::prev(place));
        return;
    case Qt::Key_Right:
        if (place != siblings.end() && std::next(place) != siblings.end())
            choose(*std::next(place));
        return;
    case Qt::Key_Space: setWidest(now); return;
    case Qt::Key_Return:
    case Qt::Key_Enter: Q_EMIT activated(now); return;
    default: QWidget::keyPressEvent(event);
    }
}

bool FlameView::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing))
        update();
    if (event->type() == QEvent::ToolTip) {
        const auto& help = *static_cast<QHelpEvent*>(event);
        if (const auto node = nodeAt(QPointF{help.pos()}))
            QToolTip::showText(help.globalPos(), plainTip(m_texts.tip(at(*node), at(0).weight)),
                               this, rectOf(*node).toRect());
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace plimsoll::ui
