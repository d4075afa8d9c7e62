// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/stack_columns.h"
#include "ui/timeline/timeline_model.h"

#include <QPainter>

#include <array>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// What every painting function of the timeline is given.
struct PaintContext
{
    QPainter& painter;
    const TimelineModel& model;
    const TimelineFrame& frame;
    const Theme& theme;

    [[nodiscard]] double px(double length) const { return theme.px(length); }
    void setText(TextRole font, Role color) const
    {
        painter.setFont(theme.font(font));
        painter.setPen(theme.color(color));
    }
};

/// A colour over another as an opaque one: painting it takes no reading of what is there.
[[nodiscard]] QColor mixed(const QColor& over, double share, const QColor& ground);

/// A text in two weights on a pale ground: "peak 7.16 GiB  lm_head, chunk 1".
struct Tag
{
    QString strong;
    QString plain;
    Role ink = Role::Text;
};
[[nodiscard]] QSizeF tagSize(const Theme& theme, const Tag& tag);
void paintTag(const PaintContext& context, const QRectF& rect, const Tag& tag);

/// Where the labels of a frame stand; those without a free place are left out.
struct PlacedLabels
{
    std::optional<QRectF> readout;
    std::vector<QRectF> cards; ///< pinned, in the order of the pins, then the cursor's
    std::optional<QRectF> plannedPeak;
    std::optional<QRectF> unplannedPeak;
    std::optional<QRectF> measuredPeak;
    std::vector<std::optional<QRectF>> levels; ///< in the order of MeasuredSet::levels
    std::optional<QRectF> bound;
    std::optional<QRectF> witness;
    std::array<std::optional<QRectF>, StackColumns::kLayers> classNames;
};
/// In the order of design 5.4. `columns` are in device pixels.
[[nodiscard]] PlacedLabels placeLabels(const TimelineModel& model, const TimelineFrame& frame,
                                       const Theme& theme, const StackColumns& columns,
                                       double devicePixelRatio);

// The parts, bottom to top.
void paintGround(const PaintContext& context); ///< panel, plot, grid, memory axis, legend
void paintLegend(const PaintContext& context);
void paintHeader(const PaintContext& context); ///< title and subtitle
void paintBands(const PaintContext& context);  ///< phases
/// Lines between phases. `standing` are the columns (device pixels) already painted, before which
/// they are not seen; empty: those are still to come.
void paintBoundaries(const PaintContext& context, const StackColumns& standing);
void paintTimeAxis(const PaintContext& context);
void paintClassNames(const PaintContext& context, const PlacedLabels& labels);
void paintLowerBound(const PaintContext& context, const PlacedLabels& labels);
void paintSelection(const PaintContext& context);
void paintCursor(const PaintContext& context, std::size_t step);
void paintPeaks(const PaintContext& context, const PlacedLabels& labels);
void paintWitness(const PaintContext& context, const PlacedLabels& labels);
void paintCapacities(const PaintContext& context);
void paintBudgetLine(const PaintContext& context);
void paintReadout(const PaintContext& context, const QRectF& rect);

/// Of a line of text centred in the rectangle.
[[nodiscard]] double baselineIn(const QRectF& rect, const QFont& font);

// Geometry that the mouse needs too.
/// The facts beside the title, as far as they fit.
struct ShownSubtitle
{
    QString text;
    QRectF rect;
    bool isWhole = true;
};
[[nodiscard]] ShownSubtitle shownSubtitle(const TimelineModel& model, const TimelineFrame& frame,
                                          const Theme& theme);
[[nodiscard]] QRectF markRect(const TimelineModel& model, const TimelineFrame& frame);
[[nodiscard]] QString pillText(const TimelineModel& model);
[[nodiscard]] QRectF pillRect(const TimelineModel& model, const TimelineFrame& frame,
                              const Theme& theme);
/// Ticks of devices inside the axis, at most five; labels empty where there is no room.
struct CapacityLabel
{
    std::size_t index = 0; ///< into TimelineModel::capacities
    double tickY = 0;
    double textY = 0; ///< centre of the size; the name stands below
    bool hasSize = true;
    bool hasName = true;
};
[[nodiscard]] std::vector<CapacityLabel> capacityLabels(const TimelineModel& model,
                                                        const TimelineFrame& frame);
/// Centre of a peak's triangle, its apex on the curve.
struct PeakMark
{
    QPointF apex;
    bool below = false; ///< stands under the apex because the budget line is near
};
[[nodiscard]] std::optional<PeakMark> plannedPeakMark(const TimelineModel& model,
                                                      const TimelineFrame& frame);
[[nodiscard]] std::optional<PeakMark> unplannedPeakMark(const TimelineModel& model,
                                                        const TimelineFrame& frame);
[[nodiscard]] Tag plannedPeakTag(const TimelineModel& model);
[[nodiscard]] Tag unplannedPeakTag(const TimelineModel& model);
[[nodiscard]] Tag boundTag(const TimelineModel& model);
[[nodiscard]] Tag witnessTag(const TimelineModel& model);

// Cards.
/// Lists fewer classes where `room` is too low for all.
[[nodiscard]] QSizeF hoverCardSize(const TimelineModel& model, const Theme& theme, std::size_t step,
                                   double room);
void paintHoverCard(const PaintContext& context, const QRectF& rect, std::size_t step, bool pinned);
[[nodiscard]] QRectF hoverCardPin(const Theme& theme, const QRectF& card);
[[nodiscard]] QSizeF readoutSize(const TimelineModel& model, const Theme& theme);

} // namespace plimsoll::ui
