// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/curves.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_overlay.h"

#include <QPixmap>

#include <cstdint>
#include <vector>

namespace plimsoll::ui {

/// The predicted curve, dashed over a pale area, the measured one, solid, with its peak, and the
/// gap between them, hatched.
class WaterfallOverlay : public TimelineOverlay
{
public:
    /// The model must outlive it.
    explicit WaterfallOverlay(const TimelineModel& model) : m_model{model} {}

    /// Requires invalidate() afterwards.
    void setCurves(waterfall::AlignedCurvesPtr curves) { m_curves = std::move(curves); }

    void paint(const PaintContext& context, const PlacedLabels& labels, PaintStage stage) override;
    void place(const Placing& to, LabelRank rank) const override;
    [[nodiscard]] std::optional<OverlayHit> hitAt(const QPointF& /*pos*/,
                                                  const TimelineFrame& /*frame*/,
                                                  const PlacedLabels& /*labels*/,
                                                  HitRank /*rank*/) const override
    {
        return std::nullopt;
    }
    void invalidate() override { m_isDirty = true; }
    /// The largest value in each column of the plot, in pixels above its lower edge.
    [[nodiscard]] static std::vector<float> heights(const std::vector<std::int64_t>& bytes,
                                                    std::span<const StepSpan> spans,
                                                    const Coordinates& columns);

private:
    void draw(const PaintContext& context);
    static void paintGap(const PaintContext& context, QPainter& painter,
                         const std::vector<float>& predicted, const std::vector<float>& measured);
    void paintCursor(const PaintContext& context) const;
    /// None: it isn't in the plot.
    [[nodiscard]] std::optional<PeakMark> markOf(const TimelineFrame& frame) const;
    [[nodiscard]] Tag peakTag() const;
    /// Whether the curves are those of the model.
    [[nodiscard]] bool isShown() const
    {
        return m_curves && m_curves->ground && m_curves->ground == m_model.stacked;
    }

    const TimelineModel& m_model;
    waterfall::AlignedCurvesPtr m_curves;
    QPixmap m_picture; ///< of the plot
    bool m_isDirty = true;
};

} // namespace plimsoll::ui
