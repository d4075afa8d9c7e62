// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/timeline/measured_line.h"
#include "ui/timeline/stack_raster.h"
#include "ui/timeline/timeline_view_p.h"

#include <QEvent>
#include <QFocusEvent>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kPaleOpacity = 0.45;

/// Two pins show what is between them.
void paintPinDistance(const PaintContext& context, const std::vector<std::size_t>& pins)
{
    if (pins.size() != 2 || !context.model.set.planned)
        return;
    const timeline::Timeline& planned = *context.model.set.planned;
    const auto [first, second] = std::minmax(pins[0], pins[1]);
    if (second >= planned.stepCount())
        return;
    Tag tag;
    tag.strong = bytesDifferenceText(planned.totalAt(second) - planned.totalAt(first));
    if (context.model.axis.hasTimes())
        tag.plain = timeDifferenceText(planned.timeAt(second) - planned.timeAt(first));
    const QSizeF size = tagSize(context.theme, tag);
    const double middle = (context.frame.xOfStep(context.model.axis, first)
                           + context.frame.xOfStep(context.model.axis, second))
                          / 2;
    const QRectF& plot = context.frame.at.plot();
    paintTag(context,
             QRectF{QPointF{middle - size.width() / 2, plot.bottom() - size.height() - 6}, size},
             tag);
}

/// Everything above the curves; the same for the screen and for pictures.
void paintAbove(const PaintContext& context, const PlacedLabels& labels)
{
    const TimelineModel& model = context.model;
    paintLowerBound(context, labels);
    paintMeasuredLevels(context, labels);
    paintSelection(context);
    for (const std::size_t pin : model.pins)
        paintCursor(context, pin);
    if (model.cursorStep && !model.drag)
        paintCursor(context, *model.cursorStep);
    paintCapacities(context);
    paintBudgetLine(context);
    paintPeaks(context, labels);
    paintMeasuredPeak(context, labels);
    paintWitness(context, labels);
    paintPinDistance(context, model.pins);
    if (labels.readout)
        paintReadout(context, *labels.readout);
    std::size_t card = 0;
    for (const std::size_t pin : model.pins)
        if (card < labels.cards.size() && pin < model.axis.stepCount())
            paintHoverCard(context, labels.cards[card++], pin, true);
    if (card < labels.cards.size() && model.cursorStep)
        paintHoverCard(context, labels.cards[card], *model.cursorStep, false);
}

StackInks inksOf(const Theme& theme)
{
    return {theme.color(Role::Panel, 0.85), theme.color(Role::Text, 0.9)};
}

StackInks fadedInks(const Theme& theme)
{
    StackInks inks = inksOf(theme);
    for (QColor* ink : {&inks.separator, &inks.outline}) {
        const float alpha = ink->alphaF();
        *ink = mixed(*ink, kPaleOpacity, theme.color(Role::Plot));
        ink->setAlphaF(alpha);
    }
    return inks;
}

QPoint anchorOf(const TimelineFrame& frame, double ratio)
{
    return (frame.at.plot().topLeft() * ratio).toPoint();
}

bool isVector(const QPainter& painter)
{
    const QPaintEngine::Type type = painter.paintEngine()->type();
    return type == QPaintEngine::SVG || type == QPaintEngine::Pdf || type == QPaintEngine::Picture;
}

} // namespace

TimelineFrame TimelineView::Private::frame() const
{
    return frameFor(model, view.size(), Theme::current().scale());
}

void TimelineView::Private::invalidateAll()
{
    groundDirty = true;
    ghostDirty = true;
    measuredDirty = true;
    stackDirty = true;
    view.update();
}

void TimelineView::Private::invalidate()
{
    if (model.drag) {
        // The frame and the unplanned curve stand still under the dragged line.
        stackDirty = true;
        view.update();
        return;
    }
    invalidateAll();
    placeHandle();
    describe();
}

void TimelineView::Private::refresh(const TimelineFrame& frame)
{
    const Theme& theme = Theme::current();
    if (tilesRatio != ratio()) {
        tiles = classTiles(theme, ratio());
        paleTiles = fadedTiles(tiles, theme.color(Role::Plot), kPaleOpacity);
        tilesRatio = ratio();
        invalidateAll();
    }
    if (groundDirty || stackDirty)
        base.isCurrent = paleBase.isCurrent = false;
    if (groundDirty) {
        QImage ground{view.size() * ratio(), QImage::Format_RGB32};
        ground.setDevicePixelRatio(ratio());
        ground.fill(theme.color(Role::Panel));
        QPainter painter{&ground};
        const PaintContext context{painter, model, frame, theme};
        paintGround(context);
        paintTimeAxis(context);
        painter.end();
        base.stack.reset(ground);
        paleBase.stack.reset(std::move(ground));
        groundDirty = false;
    }
    if (ghostDirty) {
        ghost = makeGhost(model, frame, theme, ratio());
        ghostDirty = false;
    }
    if (measuredDirty) {
        measured = makeMeasuredLine(model, frame, theme, ratio());
        measuredDirty = false;
    }
    if (stackDirty) {
        const Coordinates device = frame.deviceCoordinates(ratio());
        columns = model.set.planned ? stackColumns(*model.set.planned, model.axis, device)
                                    : StackColumns{};
        stackDirty = false;
    }
    if (!shownBase().isCurrent)
        compose(frame);
}

void TimelineView::Private::compose(const TimelineFrame& frame)
{
    const Theme& theme = Theme::current();
    const QRect plot{anchorOf(frame, ratio()),
                     frame.deviceCoordinates(ratio()).plot().size().toSize()};
    // Fading the colours is the same as drawing with an opacity, and as quick as drawing without.
    Base& shown = shownBase();
    if (model.pale)
        shown.stack.draw(plot, columns, paleTiles, fadedInks(theme));
    else
        shown.stack.draw(plot, columns, tiles, inksOf(theme));
    QPainter painter{&shown.stack.picture()};
    paintBands({painter, model, frame, theme});
    painter.end();
    drawOverviewCurves(shown.stack.picture(), model, frame, theme);
    shown.isCurrent = true;
}

void TimelineView::Private::paint(QPainter& painter)
{
    const TimelineFrame now = frame();
    const Theme& theme = Theme::current();
    refresh(now);
    labels = placeLabels(model, now, theme, columns, ratio());
    painter.drawImage(QPointF{}, shownBase().stack.picture());
    const PaintContext context{painter, model, now, theme};
    paintBoundaries(context, columns);
    paintHeader(context);
    paintClassNames(context, labels);
    paintGhost(painter, ghost, model, now);
    if (!measured.isNull())
        painter.drawPixmap(now.at.plot().topLeft(), measured);
    paintAbove(context, labels);
    paintOverview(painter, model, now, theme);
    if (model.plotFocused) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen{theme.color(Role::Accent), 2});
        painter.drawRect(now.at.plot().adjusted(-2, -2, 2, 2));
    }
}

void TimelineView::renderTo(QPainter* painter, QSize size) const
{
    TimelineModel still = m->model;
    still.cursorStep.reset();
    still.cursorCard = false;
    still.lineHovered = false;
    still.lineFocused = false;
    still.plotFocused = false;
    const Theme& theme = Theme::current();
    const TimelineFrame frame = frameFor(still, QSizeF{size}, theme.scale());
    const PaintContext context{*painter, still, frame, theme};
    const double ratio = isVector(*painter) ? 1.0 : painter->device()->devicePixelRatioF();
    const Coordinates device = frame.deviceCoordinates(ratio);
    const StackColumns columns =
        still.set.planned ? stackColumns(*still.set.planned, still.axis, device) : StackColumns{};
    const PlacedLabels labels = placeLabels(still, frame, theme, columns, ratio);
    painter->save();
    paintGround(context);
    paintTimeAxis(context);
    paintHeader(context);
    paintBands(context);
    paintBoundaries(context, {});
    painter->setOpacity(still.pale ? kPaleOpacity : 1.0);
    if (isVector(*painter)) {
        painter->translate(frame.at.plot().topLeft());
        drawStackShapes(*painter, columns, theme);
        painter->translate(-frame.at.plot().topLeft());
    } else {
        painter->drawImage(frame.at.plot().topLeft(),
                           rasterStack(columns, classTiles(theme, ratio), inksOf(theme),
                                       device.plot().size().toSize(), anchorOf(frame, ratio),
                                       ratio));
    }
    painter->setOpacity(1.0);
    paintClassNames(context, labels);
    drawGhostShapes(*painter, still, frame, theme);
    drawMeasuredLine(*painter, still, frame, theme);
    paintAbove(context, labels);
    paintOverviewCurves(*painter, still, frame, theme);
    paintOverview(*painter, still, frame, theme);
    painter->restore();
}

TimelineView::TimelineView(QWidget* parent) : QWidget{parent}, m{std::make_unique<Private>(*this)}
{
    setManualPage(*this, QStringLiteral("window.md#timeline"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Memory over the step"));
    connect(&Theme::current(), &Theme::changed, this, [this] {
        m->tilesRatio = 0;
        m->invalidateAll();
        m->placeHandle();
    });
}

TimelineView::~TimelineView()
{
    // The children outlive the private part; losing the focus, they would still call it.
    m->handle->disconnect(this);
    m->field->disconnect(this);
    m->field->removeEventFilter(this);
}

void TimelineView::setTimelines(TimelineSet set)
{
    m->model.set = std::move(set);
    m->model.axis = StepAxis{m->model.set.planned};
    const std::size_t steps = m->model.axis.stepCount();
    m->model.viewport.setSmallest(steps == 0 ? 1.0
                                             : std::min(1.0, 4.0 / static_cast<double>(steps)));
    std::vector<std::size_t> pins = m->model.pins;
    std::erase_if(pins, [steps](std::size_t pin) { return pin >= steps; });
    m->setPins(std::move(pins));
    if (m->model.cursorStep && *m->model.cursorStep >= steps)
        m->model.cursorStep.reset();
    if (m->model.range && m->model.range->end >= steps)
        m->setRange(std::nullopt);
    m->invalidate();
}

void TimelineView::setMeasured(std::optional<MeasuredSet> measured)
{
    if (measured == m->model.measured)
        return;
    // Under the dragged line plans change at every move, the measured step mostly does not.
    const auto curveOf = [](const std::optional<MeasuredSet>& set) {
        return set ? set->live : nullptr;
    };
    m->measuredDirty = m->measuredDirty || curveOf(measured) != curveOf(m->model.measured);
    m->model.measured = std::move(measured);
    m->invalidate();
}

void TimelineView::setBudget(std::optional<base::Bytes> budget)
{
    // Under the mouse the line belongs to the mouse.
    if (m->model.drag || budget == m->model.budget)
        return;
    m->model.budget = budget;
    m->invalidate();
}

void TimelineView::setBudgetState(BudgetState state)
{
    m->model.budgetState = state;
    update();
}

void TimelineView::setStale(bool stale)
{
    m->model.stale = stale;
    update();
}

void TimelineView::setPlanPale(bool pale)
{
    m->model.pale = pale;
    update();
}

void TimelineView::setLowerBound(std::optional<LowerBound> bound)
{
    m->model.bound = std::move(bound);
    m->invalidate();
}

void TimelineView::setSmallestFeasible(std::optional<base::Bytes> bytes)
{
    m->model.smallestFeasible = bytes;
    m->describe();
}

void TimelineView::setCapacityMarks(std::vector<CapacityMark> marks)
{
    m->model.capacities = std::move(marks);
    m->invalidate();
}

void TimelineView::setSnapTargets(std::vector<SnapTarget> targets)
{
    m->model.extraTargets = std::move(targets);
}

void TimelineView::setPeakNames(const QString& planned, const QString& unplanned)
{
    m->model.plannedPeakName = planned;
    m->model.unplannedPeakName = unplanned;
    update();
}

void TimelineView::setReadout(std::vector<ReadoutRow> rows)
{
    m->model.readout = std::move(rows);
    update();
}

void TimelineView::setHoverProvider(HoverProvider provider)
{
    m->model.hover = std::move(provider);
    update();
}

void TimelineView::setSelection(Selection* selection)
{
    if (m->selection)
        disconnect(m->selection, nullptr, this, nullptr);
    m->selection = selection;
    if (selection == nullptr)
        return;
    const auto read = [this] {
        const Selection* from = m->selection.data();
        if (from == nullptr)
            return;
        m->model.range = from->range();
        m->model.cursorStep = from->step();
        update();
    };
    connect(selection, &Selection::rangeChanged, this, read);
    connect(selection, &Selection::stepChanged, this, read);
    read();
}

std::optional<base::Bytes> TimelineView::budget() const
{
    return m->model.budget;
}

bool TimelineView::isDragging() const
{
    return m->model.drag.has_value();
}

VisibleRange TimelineView::visibleRange() const
{
    return m->model.viewport.range();
}

void TimelineView::setVisibleRange(VisibleRange range)
{
    m->model.viewport.setRange(range);
    m->invalidateAll();
}

base::Bytes TimelineView::axisTop() const
{
    return m->frame().at.top();
}

QSize TimelineView::sizeHint() const
{
    const Theme& theme = Theme::current();
    return {theme.px(1100), theme.px(520)};
}

QSize TimelineView::minimumSizeHint() const
{
    const Theme& theme = Theme::current();
    return {theme.px(560), theme.px(230)};
}

void TimelineView::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter{this};
    m->paint(painter);
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m->invalidateAll();
    m->placeHandle();
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    m->model.plotFocused = showsFocusRing(event->reason());
    QWidget::focusInEvent(event);
    update();
}

void TimelineView::focusOutEvent(QFocusEvent* event)
{
    m->model.plotFocused = false;
    QWidget::focusOutEvent(event);
    update();
}

void TimelineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::EnabledChange)
        m->invalidateAll();
}

} // namespace plimsoll::ui
