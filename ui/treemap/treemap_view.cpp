// SPDX-License-Identifier: Apache-2.0
#include "ui/treemap/treemap_view.h"

#include "ui/base/drawn_text.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/timeline/patterns.h"
#include "ui/treemap/squarify.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr double kGap = 1.5;
constexpr double kTextPadding = 5;
constexpr double kLeastDrawn = 0.5; ///< pixels; less is nothing to see

QString tipOf(const TreemapItem& item)
{
    return item.tip.isEmpty() ? item.name + u'\n' + bytesText(item.bytes) : item.tip;
}

} // namespace

TreemapView::TreemapView(QWidget* parent) : QWidget{parent}
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&Theme::current(), &Theme::changed, this, [this] {
        m_picture = {};
        update();
    });
}

void TreemapView::setItems(std::vector<TreemapItem> items)
{
    if (items == m_items)
        return;
    m_items = std::move(items);
    m_current.reset();
    m_hovered.reset();
    layOut();
}

void TreemapView::layOut()
{
    std::vector<double> values;
    values.reserve(m_items.size());
    for (const TreemapItem& item : m_items)
        values.push_back(static_cast<double>(std::max<std::int64_t>(0, item.bytes.count())));
    const double margin = Theme::current().px(8);
    m_rects = squarified(values, QRectF{rect()}.adjusted(margin, 0, -margin, -margin));
    m_picture = {};
    update();
}

void TreemapView::setCurrent(std::optional<std::size_t> item)
{
    m_current = item && *item < m_items.size() ? item : std::nullopt;
    setAccessibleDescription(m_current ? fileText(tipOf(m_items[*m_current]).toStdString())
                                       : QString{});
    update();
}

void TreemapView::choose(std::optional<std::size_t> item)
{
    if (item == m_current)
        return;
    setCurrent(item);
    Q_EMIT currentChanged(m_current);
}

std::optional<std::size_t> TreemapView::itemAt(const QPointF& pos) const
{
    const auto at =
        std::ranges::find_if(m_rects, [&](const QRectF& rect) { return rect.contains(pos); });
    return at == m_rects.end() ? std::nullopt
                               : std::optional{static_cast<std::size_t>(at - m_rects.begin())};
}

QRectF TreemapView::rectOf(std::size_t item) const
{
    return item < m_rects.size() ? m_rects[item] : QRectF{};
}

void TreemapView::paintItem(QPainter& painter, std::size_t item) const
{
    const Theme& theme = Theme::current();
    const QRectF rect = m_rects[item].adjusted(kGap / 2, kGap / 2, -kGap / 2, -kGap / 2);
    if (rect.width() < kLeastDrawn || rect.height() < kLeastDrawn)
        return;
    const double ratio = devicePixelRatioF();
    const QSize size = (rect.size() * ratio).toSize().expandedTo({1, 1});
    QImage fill =
        layerSwatch(theme, m_items[item].ink, rect.size().toSize().expandedTo({1, 1}), ratio);
    painter.drawImage(rect, fill);
    const QFont& strong = theme.font(TextRole::SmallStrong);
    const QFont& small = theme.font(TextRole::Small);
    const double padding = theme.px(kTextPadding);
    const double line = theme.px(15);
    const double room = rect.width() - 2 * padding;
    if (rect.height() < line + padding || room < theme.px(26) || size.isEmpty())
        return;
    const QColor ground = theme.color(classRole(m_items[item].ink));
    const auto write = [&](const QFont& font, const QString& text, double top) {
        const QRectF box{rect.left() + padding - 2, top, nameWidth(font, text) + 4, line};
        painter.fillRect(box, ground); // so that no pattern runs behind the text
        painter.setFont(font);
        painter.setPen(labelColorOn(ground));
        drawName(painter, QPointF{rect.left() + padding, baselineIn(box, font)}, text);
    };
    write(strong, fittedName(strong, m_items[item].name, Qt::ElideRight, room),
          rect.top() + padding / 2);
    const QString bytes = bytesText(m_items[item].bytes);
    if (rect.height() >= 2 * line + padding && nameWidth(small, bytes) <= room)
        write(small, bytes, rect.top() + padding / 2 + line);
}

void TreemapView::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatioF() != ratio) {
        m_picture = QPixmap{size() * ratio};
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(theme.color(Role::Panel));
        QPainter painter{&m_picture};
        for (std::size_t i = 0; i < m_rects.size(); ++i)
            paintItem(painter, i);
    }
    QPainter painter{this};
    painter.drawPixmap(0, 0, m_picture);
    if (m_hovered) {
        setShape(painter, QPen{theme.color(Role::Text), 1});
        painter.drawRect(rectOf(*m_hovered).adjusted(1, 1, -1, -1));
    }
    if (m_current) {
        const QRectF rect = rectOf(*m_current).adjusted(1.5, 1.5, -1.5, -1.5);
        setShape(painter, QPen{theme.color(Role::Halo), 2});
        painter.drawRect(rect.adjusted(2, 2, -2, -2));
        setShape(painter, QPen{theme.color(Role::Accent), 2});
        painter.drawRect(rect);
    }
    if (m_hasRing)
        drawFocusRing(painter, QRectF{rect()}.adjusted(2, 2, -2, -2));
}

void TreemapView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void TreemapView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(itemAt(event->position()));
}

void TreemapView::mouseMoveEvent(QMouseEvent* event)
{
    setHovered(itemAt(event->position()));
}

void TreemapView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto item = itemAt(event->position()); item && event->button() == Qt::LeftButton)
        Q_EMIT activated(*item);
}

void TreemapView::contextMenuEvent(QContextMenuEvent* event)
{
    std::optional<std::size_t> item = m_current;
    QPoint at = event->globalPos();
    if (event->reason() == QContextMenuEvent::Mouse)
        item = itemAt(QPointF{event->pos()});
    else if (item)
        at = mapToGlobal(rectOf(*item).center().toPoint());
    if (!item)
        return;
    choose(item);
    Q_EMIT menuWanted(*item, at);
}

void TreemapView::keyPressEvent(QKeyEvent* event)
{
    if (m_items.empty())
        return QWidget::keyPressEvent(event);
    const std::size_t last = m_items.size() - 1;
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down: choose(m_current ? std::min(*m_current + 1, last) : 0); return;
    case Qt::Key_Left:
    case Qt::Key_Up: choose(m_current && *m_current > 0 ? *m_current - 1 : 0); return;
    case Qt::Key_Home: choose(0); return;
    case Qt::Key_End: choose(last); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current)
            Q_EMIT activated(*m_current);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void TreemapView::setHovered(std::optional<std::size_t> item)
{
    if (item == m_hovered)
        return;
    m_hovered = item;
    update();
}

void TreemapView::leaveEvent(QEvent* event)
{
    setHovered(std::nullopt);
    QWidget::leaveEvent(event);
}

bool TreemapView::event(QEvent* event)
{
    if (followFocus(*event, m_hasRing))
        update();
    if (event->type() == QEvent::ToolTip) {
        const auto& help = *static_cast<QHelpEvent*>(event);
        if (const auto item = itemAt(QPointF{help.pos()}))
            QToolTip::showText(help.globalPos(), plainTip(tipOf(m_items[*item])), this,
                               rectOf(*item).toRect());
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace plimsoll::ui
