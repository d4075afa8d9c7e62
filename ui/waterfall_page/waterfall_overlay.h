// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/waterfall/curves.h"
#include "ui/compare_page/side_curves_overlay.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace plimsoll::ui {

/// The predicted curve, dashed over a pale area, the measured one, solid, with its peak, and the
/// gap between them, hatched.
class WaterfallOverlay : public SideCurvesOverlay
{
public:
    using SideCurvesOverlay::SideCurvesOverlay;

    /// Requires invalidate() afterwards.
    void setCurves(waterfall::AlignedCurvesPtr curves) { m_curves = std::move(curves); }

    void place(const Placing& to, LabelRank rank) const override;

protected:
    [[nodiscard]] bool isShown() const override
    {
        return m_curves && m_curves->ground && m_curves->ground == model().stacked;
    }
    [[nodiscard]] std::size_t sideCount() const override { return 2; }
    [[nodiscard]] std::optional<base::Bytes> bytesAt(std::size_t side,
                                                     std::size_t step) const override;
    void drawCurves(const Canvas& canvas) const override;
    void paintPeaks(const PaintContext& context, const PlacedLabels& labels) const override;

private:
    /// Side 0 or 1.
    [[nodiscard]] const std::vector<std::int64_t>& curve(std::size_t side) const
    {
        return side == 0 ? m_curves->predicted : m_curves->measured;
    }
    /// The largest value in each column of the plot.
    [[nodiscard]] std::vector<float> heights(std::size_t side, const Canvas& canvas) const;
    static void paintGap(const Canvas& canvas, const std::vector<float>& predicted,
                         const std::vector<float>& measured);
    [[nodiscard]] base::Bytes measuredPeak() const
    {
        return base::Bytes{m_curves->measured[m_curves->measuredPeak]};
    }
    [[nodiscard]] std::optional<PeakMark> markOf(const TimelineFrame& frame) const
    {
        return peakMark(m_curves->measuredPeak, measuredPeak(), frame);
    }
    [[nodiscard]] Tag peakTag() const;

    waterfall::AlignedCurvesPtr m_curves;
};

} // namespace plimsoll::ui
