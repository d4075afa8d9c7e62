// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_canvas.h"

#include "ui/timeline/overview.h"
#include "ui/timeline/timeline_overlay.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kPaleOpacity = 0.45;

/// Paints everything above the stack.
void paintAbove(const PaintContext& context, const PlacedLabels& labels)
{
    const TimelineModel& model = context.model;
    const auto paintOverlay = [&](PaintStage stage) {
        if (model.overlay != nullptr)
            model.overlay->paint(context, labels, stage);
    };
    paintOverlay(PaintStage::Curves);
    paintLayerNames(context, labels);
    paintAxisBreak(context);
    paintOverlay(PaintStage::Levels);
    paintMarked(context);
    paintSelection(context);
    for (const std::size_t pin : model.pins)
        paintCursor(context, pin);
    if (model.cursorStep && !model.heldLength)
        paintCursor(context, *model.cursorStep);
    paintOverlay(PaintStage::Lines);
    paintPeak(context, labels);
    paintOverlay(PaintStage::Marks);
    paintPinDistance(context);
    if (labels.range)
        paintRangeReadout(context, *labels.range);
    paintOverlay(PaintStage::Cards);
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

} // namespace

std::optional<std::size_t> TimelineCanvas::stepAtX(double x) const
{
    if (m_model.axis.stepCount() == 0)
        return std::nullopt;
    const TimelineFrame now = frame();
    const QRectF& plot = now.at.plot();
    const double inside = std::clamp(x, plot.left(), plot.right() - 1);
    const double left = std::floor((inside - plot.left()) * ratio()) / ratio() + plot.left();
    const StepSpan span =
        stepsIn(m_model.axis, now.at.positionAt(left), now.at.positionAt(left + 1 / ratio()));
    return shownStep(*m_model.stacked, span);
}

void TimelineCanvas::invalidateStack()
{
    m_stackDirty = true;
    update();
}

void TimelineCanvas::invalidateAll()
{
    m_groundDirty = true;
    if (m_model.overlay != nullptr)
        m_model.overlay->invalidate();
    invalidateStack();
}

void TimelineCanvas::setTheme()
{
    m_tilesRatio = 0;
    invalidateAll();
}

void TimelineCanvas::refresh(const TimelineFrame& frame)
{
    const Theme& theme = Theme::current();
    if (m_tilesRatio != ratio() || m_tilesLayers != m_model.layers) {
        m_tiles = layerTiles(theme, *m_model.layers, ratio());
        m_paleTiles = fadedTiles(m_tiles, theme.color(Role::Plot), kPaleOpacity);
        m_tilesRatio = ratio();
        m_tilesLayers = m_model.layers;
        invalidateAll();
    }
    if (m_groundDirty || m_stackDirty)
        m_base.isCurrent = m_paleBase.isCurrent = false;
    if (m_groundDirty) {
        QImage ground{m_widget.size() * ratio(), QImage::Format_RGB32};
        ground.setDevicePixelRatio(ratio());
        ground.fill(theme.color(Role::Panel));
        QPainter painter{&ground};
        const PaintContext context{painter, m_model, frame, theme};
        paintGround(context);
        paintTimeAxis(context);
        painter.end();
        m_base.stack.reset(ground);
        m_paleBase.stack.reset(std::move(ground));
        m_groundDirty = false;
    }
    if (m_stackDirty) {
        const Coordinates device = frame.deviceCoordinates(ratio());
        m_columns =
            m_model.stacked ? stackColumns(*m_model.stacked, m_model.axis, device) : StackColumns{};
        m_stackDirty = false;
    }
    if (!shownBase().isCurrent)
        compose(frame);
}

void TimelineCanvas::compose(const TimelineFrame& frame)
{
    const Theme& theme = Theme::current();
    const QRect plot{anchorOf(frame, ratio()),
                     frame.deviceCoordinates(ratio()).plot().size().toSize()};
    // Fading the colours equals drawing with an opacity, at no extra cost.
    Base& shown = shownBase();
    if (m_model.pale)
        shown.stack.draw(plot, m_columns, m_paleTiles, fadedInks(theme));
    else
        shown.stack.draw(plot, m_columns, m_tiles, inksOf(theme));
    QPainter painter{&shown.stack.picture()};
    paintBands({painter, m_model, frame, theme});
    painter.end();
    drawOverviewCurves(shown.stack.picture(), m_model, frame, theme, m_overview);
    shown.isCurrent = true;
}

void TimelineCanvas::paint(QPainter& painter)
{
    const TimelineFrame now = frame();
    const Theme& theme = Theme::current();
    refresh(now);
    m_labels = placeLabels(m_model, now, theme, m_columns, ratio());
    painter.drawImage(QPointF{}, shownBase().stack.picture());
    const PaintContext context{painter, m_model, now, theme, &m_columns};
    paintBoundaries(context, m_columns);
    paintHeader(context);
    paintAbove(context, m_labels);
    paintOverview(painter, m_model, now, theme);
    if (m_model.plotFocused)
        drawFocusRing(painter, now.at.plot());
}

} // namespace plimsoll::ui
