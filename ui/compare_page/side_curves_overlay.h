// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/stack_columns.h"
#include "ui/timeline/timeline_overlay.h"

#include <QPixmap>

#include <optional>
#include <span>

namespace plimsoll::ui {

/// Curves of several recordings over one axis, each in the line of its side, and where the cursor
/// meets them. What is drawn of the curves is kept until something changes.
class SideCurvesOverlay : public TimelineOverlay
{
public:
    /// The model must outlive it.
    explicit SideCurvesOverlay(const TimelineModel& model) : m_model{model} {}

    void paint(const PaintContext& context, const PlacedLabels& labels, PaintStage stage) override;
    [[nodiscard]] std::optional<OverlayHit> hitAt(const QPointF& /*pos*/,
                                                  const TimelineFrame& /*frame*/,
                                                  const PlacedLabels& /*labels*/,
                                                  HitRank /*rank*/) const override
    {
        return std::nullopt;
    }
    void invalidate() override { m_isDirty = true; }

protected:
    /// The plot, whose columns are pixels and show these steps.
    struct Canvas
    {
        const PaintContext& context;
        QPainter& painter;
        std::span<const StepSpan> spans;
        const Coordinates& columns;
    };

    [[nodiscard]] const TimelineModel& model() const { return m_model; }
    /// Whether there are curves, and they are those of the model.
    [[nodiscard]] virtual bool isShown() const = 0;
    [[nodiscard]] virtual std::size_t sideCount() const = 0;
    /// None: the side has no such step.
    [[nodiscard]] virtual std::optional<base::Bytes> bytesAt(std::size_t side,
                                                             std::size_t step) const = 0;
    virtual void drawCurves(const Canvas& canvas) const = 0;
    virtual void paintPeaks(const PaintContext& context, const PlacedLabels& labels) const = 0;

    /// Pixels above the lower edge of the plot, or a little outside it.
    [[nodiscard]] static float heightOf(base::Bytes bytes, const Coordinates& columns);
    static void drawLine(const Canvas& canvas, const QPolygonF& points, std::size_t side);
    /// None: it isn't in the plot.
    [[nodiscard]] std::optional<PeakMark> peakMark(std::size_t step, base::Bytes bytes,
                                                   const TimelineFrame& frame) const;

private:
    void draw(const PaintContext& context);
    void paintCursor(const PaintContext& context) const;

    const TimelineModel& m_model;
    QPixmap m_picture; ///< of the plot
    bool m_isDirty = true;
};

} // namespace plimsoll::ui
