// SPDX-License-Identifier: Apache-2.0
#include "ui/memory_map/address_map_view.h"

#include "ui/base/drawn_text.h"
#include "ui/base/widgets.h"
#include "ui/plot/ticks.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>
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
QImage moved(const AddressPicture& picture, const AddressPart& to, QRgb ground)
{
    QImage image{to.pixels, QImage::Format_RGB32};
    image.fill(ground);
    const AddressPart& from = picture.part;
    if (from.pixels.height() != to.pixels.height())
        return image;
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
            if (source[x] >= 0)
                row[x] = old[source[x]];
    }
    return image;
}

} // namespace

AddressMapView::AddressMapView(TimelineView& above, QWidget* parent)
    : QWidget{parent}, m_above{above}
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Address map"));
    connect(&Theme::current(), &Theme::changed, this, qOverload<>(&QWidget::update));
    connect(&m_above, &TimelineView::painted, this, [this] {
        if (!isCurrent())
            update();
    });
}

AddressMapView::~AddressMapView()
{
    m_drawer.stop();
}

void AddressMapView::setScene(AddressScenePtr scene)
{
    m_scene = std::move(scene);
    m_picture = nullptr;
    m_drawing.reset();
    m_allocation.reset();
    update();
}

void AddressMapView::setSelection(Selection* selection)
{
    m_selection = selection;
    connect(selection, &Selection::stepChanged, this, qOverload<>(&QWidget::update));
    connect(selection, &Selection::rangeChanged, this, qOverload<>(&QWidget::update));
}

void AddressMapView::setSubtitle(const QString& facts)
{
    m_subtitle = facts;
    setAccessibleDescription(facts);
    update();
}

void AddressMapView::setAllocation(std::optional<std::uint32_t> allocation)
{
    m_allocation = allocation;
    update();
}

QRectF AddressMapView::plotRect() const
{
    const QRectF plot = m_above.plotRect();
    const double top = Theme::current().px(kHeader);
    return {plot.left(), top, plot.width(),
            std::max(1.0, height() - top - Theme::current().px(kBelow))};
}

AddressPart AddressMapView::shownPart() const
{
    const VisibleRange visible = m_above.visibleRange();
    const double length = m_above.axisLength();
    const QRectF plot = plotRect();
    const double ratio = devicePixelRatioF();
    AddressPart part;
    part.begin = visible.begin * length;
    part.end = std::max(part.begin + 1e-9, visible.end * length);
    part.bytes = {{}, std::max(base::Bytes{1}, m_scene ? m_scene->layout.size() : base::Bytes{})};
    part.pixels = {static_cast<int>(std::lround(plot.width() * ratio)),
                   static_cast<int>(std::lround(plot.height() * ratio))};
    return part;
}

AddressInks AddressMapView::inks() const
{
    const Theme& theme = Theme::current();
    AddressInks inks;
    inks.scale = devicePixelRatioF() * theme.scale();
    inks.ground = theme.color(Role::Plot).rgb();
    inks.reserved = mixed(theme.color(Role::Muted), 0.16, theme.color(Role::Plot)).rgb();
    if (m_scene)
        for (std::size_t layer = 0; layer < m_scene->timeline->layers().size(); ++layer)
            inks.layers[layer] =
                theme.color(classRole(m_scene->timeline->layers()[layer].ink)).rgb();
    return inks;
}

bool AddressMapView::isCurrent() const
{
    return m_scene == nullptr
           || (m_picture != nullptr && m_picture->part == shownPart() && m_inks == inks());
}

void AddressMapView::refresh()
{
    if (isCurrent())
        return;
    const AddressPart part = shownPart();
    const AddressInks now = inks();
    if (allocationsIn(*m_scene, part) <= kAtOnce) {
        m_drawer.stop();
        m_drawing.reset();
        m_picture = drawAddresses(*m_scene, part, now);
        m_inks = now;
        return;
    }
    if (m_drawing == part)
        return;
    m_drawing = part;
    m_drawer.start(
        [scene = m_scene, part,
         now](const base::JobContext& job) -> base::Result<AddressPicturePtr> {
            AddressPicturePtr picture = drawAddresses(*scene, part, now, job);
            if (picture == nullptr)
                return base::cancelled();
            return picture;
        },
        [this, now](const base::Result<AddressPicturePtr>& picture) {
            m_drawing.reset();
            if (!picture)
                return;
            m_picture = *picture;
            m_inks = now;
            update();
        });
}

void AddressMapView::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    painter.fillRect(rect(), theme.color(Role::Panel));
    const QRectF plot = plotRect();
    const QRectF header =
        QRectF(0, 0, width(), theme.px(kHeader)).adjusted(theme.px(12), 0, -theme.px(12), 0);
    const QFont& strong = theme.font(TextRole::Strong);
    setText(painter, TextRole::Strong, Role::Text);
    const QString title = tr("Address map");
    painter.drawText(QPointF{header.left(), baselineIn(header, strong)}, title);
    const double left =
        header.left() + QFontMetricsF{strong}.horizontalAdvance(title) + theme.px(10);
    setText(painter, TextRole::Small, Role::Muted);
    drawName(painter, QPointF{left, baselineIn(header, theme.font(TextRole::Small))},
             fittedName(theme.font(TextRole::Small), m_subtitle, Qt::ElideRight,
                        std::max(0.0, header.right() - left)));
    painter.fillRect(plot, theme.color(Role::Plot));
    if (m_scene == nullptr)
        return;
    refresh();
    painter.save();
    painter.setClipRect(plot);
    paintPicture(painter);
    paintSelected(painter);
    painter.restore();
    paintAxis(painter);
}

void AddressMapView::paintPicture(QPainter& painter) const
{
    if (m_picture == nullptr)
        return;
    const AddressPart now = shownPart();
    QImage shown =
        m_picture->part == now ? m_picture->image : moved(*m_picture, now, m_inks.ground);
    shown.setDevicePixelRatio(devicePixelRatioF());
    painter.drawImage(plotRect().topLeft(), shown);
}

QRectF AddressMapView::rectOf(std::uint32_t allocation) const
{
    const memtrace::DeviceTrace& device = m_scene->trackedDevice();
    if (allocation >= device.allocations().size()
        || device.allocations().address[allocation] == memtrace::kNoAddress)
        return {};
    const AddressPart part = shownPart();
    const QRectF plot = plotRect();
    const StepAxis axis{m_scene->timeline};
    const Coordinates at{plot, part.begin, part.end, part.bytes};
    const base::Bytes bottom = m_scene->layout.offsetOf(device.allocations().address[allocation]);
    const double top = at.yOf(bottom + base::Bytes{device.allocations().bytes[allocation]});
    const double left = at.xOf(axis.positionOf(device.firstStep(allocation)));
    const double right = at.xOf(axis.positionOf(device.lastStep(allocation) + std::size_t{1}));
    return QRectF{QPointF{left, top}, QPointF{right, at.yOf(bottom)}}.intersected(plot);
}

void AddressMapView::paintSelected(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QRectF plot = plotRect();
    const AddressPart part = shownPart();
    const StepAxis axis{m_scene->timeline};
    const Coordinates at{plot, part.begin, part.end, part.bytes};
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
    if (!m_allocation)
        return;
    const QRectF rect = rectOf(*m_allocation);
    if (rect.isNull())
        return;
    setShape(painter, QPen(theme.color(Role::Accent), theme.px(2)));
    painter.drawRect(rect.adjusted(-1, -1, 1, 1));
}

void AddressMapView::paintAxis(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QRectF plot = plotRect();
    const AddressPart part = shownPart();
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

std::optional<std::uint32_t> AddressMapView::allocationAt(const QPointF& pos) const
{
    if (m_picture == nullptr || !isCurrent())
        return std::nullopt;
    const QPointF in = (pos - plotRect().topLeft()) * devicePixelRatioF();
    return m_picture->allocationAt(
        {static_cast<int>(std::floor(in.x())), static_cast<int>(std::floor(in.y()))});
}

QPointF AddressMapView::above(const QPointF& pos) const
{
    return {pos.x(), m_above.plotRect().center().y()};
}

void AddressMapView::forward(const QMouseEvent& event) const
{
    const QPointF pos = above(event.position());
    QMouseEvent there{
        event.type(),     pos, m_above.mapToGlobal(pos), event.button(), event.buttons(),
        event.modifiers()};
    QCoreApplication::sendEvent(&m_above, &there);
}

void AddressMapView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_pressed = event->position();
        return;
    }
    m_isForwarding = true;
    forward(*event);
}

void AddressMapView::mouseMoveEvent(QMouseEvent* event)
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

void AddressMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (std::exchange(m_isForwarding, false)) {
        forward(*event);
        return;
    }
    if (std::exchange(m_pressed, std::nullopt))
        Q_EMIT allocationClicked(allocationAt(event->position()));
}

void AddressMapView::wheelEvent(QWheelEvent* event)
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

void AddressMapView::leaveEvent(QEvent* /*event*/)
{
    QEvent leave{QEvent::Leave};
    QCoreApplication::sendEvent(&m_above, &leave);
    Q_EMIT allocationHovered(std::nullopt);
}

bool AddressMapView::event(QEvent* event)
{
    // A pressed button that never comes up here, such as after a dialog, must not drag later.
    if (event->type() == QEvent::WindowDeactivate) {
        m_pressed.reset();
        m_isForwarding = false;
    }
    return QWidget::event(event);
}

void AddressMapView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    update();
}

} // namespace plimsoll::ui
