// SPDX-License-Identifier: Apache-2.0
#include "ui/memory_map/memory_map_view.h"

#include "ui/base/drawn_text.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/plot/ticks.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QRegion>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kHeader = 26;
constexpr double kBelow = 6;
/// More allocations are drawn off the GUI thread: these take about 1 ms.
constexpr std::size_t kAtOnce = 4'000;
constexpr double kDragDistance = 4;

/// A picture of another part, stretched to where it belongs in this one, until that is drawn.
QImage moved(const MapPicture& picture, const MapPart& to, QRgb ground)
{
    QImage image{to.pixels, QImage::Format_RGB32};
    const MapPart& from = picture.part;
    if (from.pixels.height() != to.pixels.height()) {
        image.fill(ground);
        return image;
    }
    std::vector<int> source(static_cast<std::size_t>(to.pixels.width()));
    for (std::size_t x = 0; x < source.size(); ++x) {
        const double position =
            to.begin + (static_cast<double>(x) + 0.5) / to.pixels.width() * (to.end - to.begin);
        const double at = (position - from.begin) / (from.end - from.begin) * from.pixels.width();
        source[x] = at >= 0 && at < from.pixels.width() ? static_cast<int>(at) : -1;
    }
    for (int y = 0; y < image.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
        const auto* old = reinterpret_cast<const QRgb*>(picture.image.constScanLine(y));
        for (std::size_t x = 0; x < source.size(); ++x)
            row[x] = source[x] >= 0 ? old[source[x]] : ground;
    }
    return image;
}

} // namespace

MemoryMapView::MemoryMapView(TimelineView& above, QWidget* parent) : QWidget{parent}, m_above{above}
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
    connect(&m_above, &TimelineView::painted, this, [this] {
        if (!isCurrent())
            update();
    });
}

MemoryMapView::~MemoryMapView()
{
    m_drawer.stop();
}

void MemoryMapView::setScene(MapScenePtr scene, const QString& title)
{
    m_title = title;
    setAccessibleName(title);
    if (m_scene == nullptr || m_scene->deviceIndex() != scene->deviceIndex())
        m_allocation.reset();
    m_scene = std::move(scene);
    m_picture = nullptr;
    m_drawing.reset();
    update();
}

void MemoryMapView::setSelection(Selection* selection)
{
    m_selection = selection;
    connect(selection, &Selection::stepChanged, this, qOverload<>(&QWidget::update));
    connect(selection, &Selection::rangeChanged, this, qOverload<>(&QWidget::update));
}

void MemoryMapView::setSubtitle(const QString& facts)
{
    m_subtitle = facts;
    setAccessibleDescription(facts);
    update();
}

void MemoryMapView::setAllocation(std::optional<std::uint32_t> allocation)
{
    m_allocation = allocation;
    update();
}

QRectF MemoryMapView::plotRect() const
{
    const QRectF plot = m_above.plotRect();
    const double top = Theme::current().px(kHeader);
    return {plot.left(), top, plot.width(),
            std::max(1.0, height() - top - Theme::current().px(kBelow))};
}

MapPart MemoryMapView::shownPart() const
{
    const VisibleRange visible = m_above.visibleRange();
    const double length = m_above.axisLength();
    const QRectF plot = plotRect();
    const double ratio = devicePixelRatioF();
    MapPart part;
    part.begin = visible.begin * length;
    part.end = std::max(part.begin + 1e-9, visible.end * length);
    part.bytes = m_scene ? m_scene->range() : ByteRange{{}, base::Bytes{1}};
    part.pixels = {static_cast<int>(std::lround(plot.width() * ratio)),
                   static_cast<int>(std::lround(plot.height() * ratio))};
    return part;
}

MapInks MemoryMapView::inks() const
{
    const Theme& theme = Theme::current();
    MapInks inks;
    inks.scale = devicePixelRatioF() * theme.scale();
    inks.ground = theme.color(Role::Plot).rgb();
    inks.reserved = mixed(theme.color(Role::Muted), 0.16, theme.color(Role::Plot)).rgb();
    if (m_scene)
        for (std::size_t layer = 0; layer < m_scene->timeline()->layers().size(); ++layer)
            inks.layers[layer] =
                theme.color(classRole(m_scene->timeline()->layers()[layer].ink)).rgb();
    return inks;
}

bool MemoryMapView::isCurrent() const
{
    return m_scene == nullptr
           || (m_picture != nullptr && m_picture->part == shownPart() && m_inks == inks());
}

void MemoryMapView::refresh()
{
    if (isCurrent())
        return;
    const MapPart part = shownPart();
    const MapInks now = inks();
    if (m_scene->effort(part) <= kAtOnce) {
        m_drawer.stop();
        m_drawing.reset();
        m_picture = m_scene->draw(part, now);
        m_inks = now;
        return;
    }
    if (m_drawing == part)
        return;
    m_drawing = part;
    m_drawer.start(
        [scene = m_scene, part, now](const base::JobContext& job) -> base::Result<MapPicturePtr> {
            MapPicturePtr picture = scene->draw(part, now, job);
            if (picture == nullptr)
                return base::cancelled();
            return picture;
        },
        [this, now](const base::Result<MapPicturePtr>& picture) {
            m_drawing.reset();
            if (!picture)
                return;
            m_picture = *picture;
            m_inks = now;
            update();
        });
}

void MemoryMapView::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    const QRectF plot = plotRect();
    // Where the picture follows, which has no pixels beside whole ones, there is nothing to fill.
    const QRect covered =
        m_picture == nullptr ? QRect{} : plot.toAlignedRect().adjusted(2, 2, -2, -2);
    for (const QRect& part : QRegion{rect()} - covered)
        painter.fillRect(part, theme.color(Role::Panel));
    const QRectF header =
        QRectF(0, 0, width(), theme.px(kHeader)).adjusted(theme.px(12), 0, -theme.px(12), 0);
    const QFont& strong = theme.font(TextRole::Strong);
    setText(painter, TextRole::Strong, Role::Text);
    painter.drawText(QPointF{header.left(), baselineIn(header, strong)}, m_title);
    const double left =
        header.left() + QFontMetricsF{strong}.horizontalAdvance(m_title) + theme.px(10);
    setText(painter, TextRole::Small, Role::Muted);
    drawName(painter, QPointF{left, baselineIn(header, theme.font(TextRole::Small))},
             fittedName(theme.font(TextRole::Small), m_subtitle, Qt::ElideRight,
                        std::max(0.0, header.right() - left)));
    painter.save();
    painter.setClipRegion(QRegion{rect()} - covered);
    painter.fillRect(plot, theme.color(Role::Plot));
    painter.restore();
    if (m_scene == nullptr)
        return;
    refresh();
    painter.save();
    painter.setClipRect(plot);
    paintPicture(painter);
    paintOutlines(painter);
    paintSelected(painter);
    paintAllocation(painter);
    painter.restore();
    paintAxis(painter);
}

void MemoryMapView::paintPicture(QPainter& painter) const
{
    if (m_picture == nullptr)
        return;
    const MapPart now = shownPart();
    QImage shown =
        m_picture->part == now ? m_picture->image : moved(*m_picture, now, m_inks.ground);
    shown.setDevicePixelRatio(devicePixelRatioF());
    painter.drawImage(plotRect().topLeft(), shown);
}

Coordinates MemoryMapView::coordinates() const
{
    const MapPart part = shownPart();
    return {plotRect(), part.begin, part.end, part.bytes};
}

QRectF MemoryMapView::rectOf(std::uint32_t allocation) const
{
    if (m_scene == nullptr || allocation >= m_scene->device().allocations().size())
        return {};
    const std::optional<QRectF> rect = m_scene->rectOf(allocation, coordinates());
    return rect ? rect->intersected(plotRect()) : pathOf(allocation).boundingRect();
}

QPainterPath MemoryMapView::pathOf(std::uint32_t allocation) const
{
    QPainterPath path;
    if (m_picture == nullptr || m_picture->part != shownPart())
        return path;
    // Columns with the same rows are one rectangle.
    const int width = m_picture->part.pixels.width();
    const int height = m_picture->part.pixels.height();
    const double ratio = devicePixelRatioF();
    const QPointF origin = plotRect().topLeft();
    path.setFillRule(Qt::WindingFill);
    QRect run;
    const auto finish = [&] {
        if (!run.isNull())
            path.addRect(
                QRectF{origin + QPointF{run.topLeft()} / ratio, QSizeF{run.size()} / ratio});
        run = {};
    };
    for (int x = 0; x < width; ++x) {
        int top = -1;
        int bottom = -1;
        for (int y = 0; y < height; ++y) {
            const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width)
                            + static_cast<std::size_t>(x);
            if (m_picture->allocations[at] != allocation)
                continue;
            top = top < 0 ? y : top;
            bottom = y;
        }
        if (!run.isNull() && run.top() == top && run.bottom() == bottom) {
            run.setRight(x);
            continue;
        }
        finish();
        if (top >= 0)
            run = {QPoint{x, top}, QPoint{x, bottom}};
    }
    finish();
    return path.simplified();
}

void MemoryMapView::paintOutlines(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QFont& font = theme.font(TextRole::Small);
    const QRectF plot = plotRect();
    for (const MapOutline& outline : m_scene->outlines(coordinates())) {
        const QRectF rect = outline.rect.intersected(plot);
        if (rect.width() < 1 || rect.height() < 1)
            continue;
        QPen pen{theme.color(Role::Text, 0.7), 1};
        pen.setDashPattern({4, 3});
        setShape(painter, pen);
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        const double width = nameWidth(font, outline.name) + theme.px(8);
        const double height = theme.px(16);
        if (rect.width() < width + theme.px(8) || rect.height() < height + theme.px(4))
            continue;
        const QRectF label{rect.left() + theme.px(4), rect.top() + theme.px(3), width, height};
        painter.fillRect(label, theme.color(Role::Plot, 0.85));
        setText(painter, TextRole::Small, Role::Text);
        drawName(painter, QPointF{label.left() + theme.px(4), baselineIn(label, font)},
                 outline.name);
    }
}

void MemoryMapView::paintSelected(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QRectF plot = plotRect();
    const StepAxis axis{m_scene->timeline()};
    const Coordinates at = coordinates();
    if (m_selection && m_selection->range()) {
        const double left = at.xOf(axis.positionOf(m_selection->range()->begin));
        const double right = at.xOf(axis.positionOf(m_selection->range()->end + 1));
        paintVeil(painter, plot, left, right, theme.color(Role::Panel, 0.6));
        for (const double x : {left, right})
            painter.fillRect(QRectF{std::round(x) - 1, plot.top(), 2, plot.height()},
                             theme.color(Role::Accent));
    }
    if (m_selection && m_selection->step()) {
        const double x = std::round(at.xOf(axis.positionOf(*m_selection->step())));
        painter.fillRect(QRectF{x, plot.top(), 1, plot.height()}, theme.color(Role::Text));
    }
}

void MemoryMapView::paintAllocation(QPainter& painter) const
{
    if (!m_allocation || *m_allocation >= m_scene->device().allocations().size())
        return;
    const Theme& theme = Theme::current();
    setShape(painter, QPen(theme.color(Role::Accent), theme.px(2)));
    const std::optional<QRectF> rect = m_scene->rectOf(*m_allocation, coordinates());
    if (!rect)
        painter.drawPath(pathOf(*m_allocation));
    else if (const QRectF shown = rect->intersected(plotRect()); !shown.isNull())
        painter.drawRect(shown.adjusted(-1, -1, 1, 1));
}

void MemoryMapView::paintAxis(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QRectF plot = plotRect();
    const MapPart part = shownPart();
    const Coordinates at{plot, part.begin, part.end, part.bytes};
    const QFont& font = theme.font(TextRole::Small);
    const QFontMetricsF metrics{font};
    setText(painter, TextRole::Small, Role::Muted);
    for (const Tick& tick : byteAxis(part.bytes, plot.height(), theme.px(24)).ticks) {
        const double y = at.yOf(base::Bytes{static_cast<std::int64_t>(tick.value)});
        if (y < plot.top() - 1)
            continue;
        drawNumber(
            painter,
            QPointF{plot.left() - theme.px(8), y + (metrics.ascent() - metrics.descent()) / 2},
            tick.label, Qt::AlignRight);
    }
}

std::optional<std::uint32_t> MemoryMapView::allocationAt(const QPointF& pos) const
{
    if (m_picture == nullptr || !isCurrent())
        return std::nullopt;
    const QPointF in = (pos - plotRect().topLeft()) * devicePixelRatioF();
    return m_picture->allocationAt(
        {static_cast<int>(std::floor(in.x())), static_cast<int>(std::floor(in.y()))});
}

QPointF MemoryMapView::above(const QPointF& pos) const
{
    return {pos.x(), m_above.plotRect().center().y()};
}

void MemoryMapView::forward(const QMouseEvent& event) const
{
    const QPointF pos = above(event.position());
    QMouseEvent there{
        event.type(),     pos, m_above.mapToGlobal(pos), event.button(), event.buttons(),
        event.modifiers()};
    QCoreApplication::sendEvent(&m_above, &there);
}

void MemoryMapView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_pressed = event->position();
        return;
    }
    m_isForwarding = true;
    forward(*event);
}

void MemoryMapView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressed && (event->position() - *m_pressed).manhattanLength() > kDragDistance) {
        // A drag: the timeline selects a range from where the button was pressed.
        QMouseEvent press{QEvent::MouseButtonPress, *m_pressed,     mapToGlobal(*m_pressed),
                          Qt::LeftButton,           Qt::LeftButton, event->modifiers()};
        m_pressed.reset();
        m_isForwarding = true;
        forward(press);
    }
    if (m_isForwarding || event->buttons() == Qt::NoButton)
        forward(*event);
    if (event->buttons() == Qt::NoButton)
        Q_EMIT allocationHovered(allocationAt(event->position()));
}

void MemoryMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (std::exchange(m_isForwarding, false)) {
        forward(*event);
        return;
    }
    if (std::exchange(m_pressed, std::nullopt))
        Q_EMIT allocationClicked(allocationAt(event->position()));
}

void MemoryMapView::wheelEvent(QWheelEvent* event)
{
    const QPointF pos = above(event->position());
    QWheelEvent there{pos,
                      m_above.mapToGlobal(pos),
                      event->pixelDelta(),
                      event->angleDelta(),
                      event->buttons(),
                      event->modifiers(),
                      event->phase(),
                      event->inverted()};
    QCoreApplication::sendEvent(&m_above, &there);
    event->accept();
}

void MemoryMapView::leaveEvent(QEvent* /*event*/)
{
    QEvent leave{QEvent::Leave};
    QCoreApplication::sendEvent(&m_above, &leave);
    Q_EMIT allocationHovered(std::nullopt);
}

bool MemoryMapView::event(QEvent* event)
{
    // A pressed button that never comes up here, such as after a dialog, must not drag later.
    if (event->type() == QEvent::WindowDeactivate) {
        m_pressed.reset();
        m_isForwarding = false;
    }
    if (event->type() == QEvent::ToolTip && m_tips) {
        const auto& help = *static_cast<QHelpEvent*>(event);
        if (const auto allocation = allocationAt(QPointF{help.pos()}))
            QToolTip::showText(help.globalPos(), plainTip(m_tips(*allocation)), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void MemoryMapView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    update();
}

} // namespace plimsoll::ui
