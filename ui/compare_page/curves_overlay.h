// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/comparison/comparison.h"
#include "ui/compare_page/side_curves_overlay.h"

#include <utility>
#include <vector>

namespace plimsoll::ui {

/// The curves of compared recordings over their common axis, and their peaks.
class CurvesOverlay : public SideCurvesOverlay
{
public:
    using SideCurvesOverlay::SideCurvesOverlay;

    /// Requires invalidate() afterwards.
    void setComparison(memtrace::ComparisonPtr comparison) { m_comparison = std::move(comparison); }

    void place(const Placing& to, LabelRank rank) const override;

protected:
    [[nodiscard]] bool isShown() const override
    {
        return m_comparison && m_comparison->ground() == model().stacked
               && m_comparison->ground()->stepCount() > 0;
    }
    [[nodiscard]] std::size_t sideCount() const override { return m_comparison->sides().size(); }
    [[nodiscard]] std::optional<base::Bytes> bytesAt(std::size_t side,
                                                     std::size_t step) const override;
    void drawCurves(const Canvas& canvas) const override;
    void paintPeaks(const PaintContext& context, const PlacedLabels& labels) const override;

private:
    /// The largest value of a recording in each column of the plot, as far as the recording goes.
    [[nodiscard]] std::vector<float> heights(std::size_t side, const Canvas& canvas) const;
    [[nodiscard]] std::optional<PeakMark> markOf(std::size_t side,
                                                 const TimelineFrame& frame) const;
    [[nodiscard]] Tag tagOf(std::size_t side) const;

    memtrace::ComparisonPtr m_comparison;
};

} // namespace plimsoll::ui
