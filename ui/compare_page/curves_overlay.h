// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/comparison/comparison.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_overlay.h"

#include <QPixmap>

namespace plimsoll::ui {

/// The curves of compared recordings over their common axis, their peaks, and where the cursor
/// meets them.
class CurvesOverlay : public TimelineOverlay
{
public:
    /// The model must outlive it.
    explicit CurvesOverlay(const TimelineModel& model) : m_model{model} {}

    /// Requires invalidate() afterwards.
    void setComparison(memtrace::ComparisonPtr comparison) { m_comparison = std::move(comparison); }

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
    /// The largest value of a recording in each column of the plot, in pixels above its lower edge,
    /// as far as the recording goes.
    [[nodiscard]] std::vector<float> heights(std::size_t side, std::span<const StepSpan> spans,
                                             const Coordinates& columns) const;

private:
    void draw(const PaintContext& context);
    void paintPeaks(const PaintContext& context, const PlacedLabels& labels) const;
    void paintCursor(const PaintContext& context) const;
    /// None: it isn't in the plot.
    [[nodiscard]] std::optional<PeakMark> markOf(std::size_t side,
                                                 const TimelineFrame& frame) const;
    [[nodiscard]] Tag tagOf(std::size_t side) const;
    /// Whether the comparison is that of the model.
    [[nodiscard]] bool isShown() const
    {
        return m_comparison && m_comparison->ground() == m_model.stacked
               && m_comparison->ground()->stepCount() > 0;
    }

    const TimelineModel& m_model;
    memtrace::ComparisonPtr m_comparison;
    QPixmap m_picture; ///< of the plot
    bool m_isDirty = true;
};

} // namespace plimsoll::ui
