// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/widgets.h"
#include "ui/timeline/stack_columns.h"
#include "ui/timeline/timeline_model.h"

#include <QPainter>

#include <array>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// The arguments of every painting function of the timeline.
struct PaintContext
{
    QPainter& painter;
    const TimelineModel& model;
    const TimelineFrame& frame;
    const Theme& theme;
    /// Of the stack, in device pixels; null while what is below it is painted.
    const StackColumns* columns = nullptr;

    [[nodiscard]] double px(double length) const { return theme.px(length); }
    [[nodiscard]] QColor color(Role role, double alpha = 1) const
    {
        return theme.color(role, alpha);
    }
    void setText(TextRole font, Role color) const { ui::setText(painter, font, color); }
    void setShape(const QPen& outline, const QBrush& area = Qt::NoBrush) const
    {
        ui::setShape(painter, outline, area);
    }
};

/// A colour over another one as an opaque colour: painting it doesn't read the pixels below.
[[nodiscard]] QColor mixed(const QColor& over, double share, const QColor& ground);

/// A text in two weights on a pale background: "peak 7.16 GiB  lm_head, chunk 1".
struct Tag
{
    QString strong;
    QString plain;
    Role ink = Role::Text;
};
[[nodiscard]] QSizeF tagSize(const Theme& theme, const Tag& tag);
void paintTag(const PaintContext& context, const QRectF& rect, const Tag& tag);

/// The places of a frame's labels; those without a free place are omitted.
struct PlacedLabels
{
    std::vector<QRectF> cards; ///< pinned, in the order of the pins, then the cursor's
    std::optional<QRectF> peak;
    std::optional<QRectF> range;                ///< what happens in the selected range
    std::vector<std::optional<QRectF>> overlay; ///< in the overlay's order
    std::array<std::optional<QRectF>, StackColumns::kLayers> layerNames;
};
/// In the order of design 5.4. `columns` are in device pixels.
[[nodiscard]] PlacedLabels placeLabels(const TimelineModel& model, const TimelineFrame& frame,
                                       const Theme& theme, const StackColumns& columns,
                                       double devicePixelRatio);

// The parts, bottom to top.
void paintGround(const PaintContext& context); ///< on the panel: plot, grid, memory axis, legend
void paintLegend(const PaintContext& context);
/// Dims everything beside a stretch of the rectangle's width.
void paintVeil(QPainter& painter, const QRectF& rect, double left, double right,
               const QColor& color);
void paintHeader(const PaintContext& context); ///< title and subtitle
void paintBands(const PaintContext& context);  ///< phases
/// Lines between phases. `standing` are the columns (device pixels) already painted, before which
/// they are not seen; empty: those are still to come.
void paintBoundaries(const PaintContext& context, const StackColumns& standing);
void paintTimeAxis(const PaintContext& context);
/// Shows that the memory axis doesn't begin at 0: a torn lower edge with a break mark.
void paintAxisBreak(const PaintContext& context);
void paintLayerNames(const PaintContext& context, const PlacedLabels& labels);
void paintMarked(const PaintContext& context);
void paintSelection(const PaintContext& context);
void paintRangeReadout(const PaintContext& context, const QRectF& rect);
void paintCursor(const PaintContext& context, std::size_t step);
void paintPeak(const PaintContext& context, const PlacedLabels& labels);
void paintPinDistance(const PaintContext& context);

// Geometry that mouse handling needs, too.
/// The facts beside the title, as far as they fit.
struct ShownSubtitle
{
    QString text;
    QRectF rect;
    bool isWhole = true;
};
[[nodiscard]] ShownSubtitle shownSubtitle(const TimelineModel& model, const TimelineFrame& frame,
                                          const Theme& theme);
/// All facts in one line.
[[nodiscard]] QString wholeSubtitle(const TimelineModel& model);
/// Centre of a peak's triangle, its apex on the curve.
struct PeakMark
{
    QPointF apex;
    bool below = false; ///< it is placed below the apex because the overlay's line is near
};
[[nodiscard]] PeakMark peakMarkAt(const TimelineModel& model, const TimelineFrame& frame,
                                  QPointF apex);
[[nodiscard]] bool isOnMark(const PeakMark& mark, const QPointF& pos, double scale);
void paintPeakMark(const PaintContext& context, const PeakMark& mark, bool filled);
/// Places of a peak's label: right and left of its triangle, at the best height first.
[[nodiscard]] std::array<QRectF, 6> besideMark(const PeakMark& mark, const QSizeF& size,
                                               double scale);
/// Of the stacked timeline.
[[nodiscard]] std::optional<PeakMark> peakMark(const TimelineModel& model,
                                               const TimelineFrame& frame);
[[nodiscard]] Tag peakTag(const TimelineModel& model);
/// What is between two pins; none if there aren't two.
struct PinDistance
{
    QRectF rect;
    Tag tag;
};
[[nodiscard]] std::optional<PinDistance>
pinDistance(const TimelineModel& model, const TimelineFrame& frame, const Theme& theme);
/// "+12.20 GiB  in 12.3 ms · steps 120–340" and "allocated 20.10 GiB · freed 7.90 GiB". Requires a
/// range of steps of the timeline.
[[nodiscard]] std::array<Tag, 2> rangeReadout(const TimelineModel& model);
/// The readout of the selected range: its places, the best one first. None without a range in view.
[[nodiscard]] std::vector<QRectF>
rangeReadoutPlaces(const TimelineModel& model, const TimelineFrame& frame, const Theme& theme);

// Hover cards. Lists fewer classes if `room` is too small for all.
/// Lists fewer classes where `room` is too low for all.
[[nodiscard]] QSizeF hoverCardSize(const TimelineModel& model, const Theme& theme, std::size_t step,
                                   double room);
void paintHoverCard(const PaintContext& context, const QRectF& rect, std::size_t step, bool pinned);
[[nodiscard]] QRectF hoverCardPin(const Theme& theme, const QRectF& card);

} // namespace plimsoll::ui
