// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_model.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {
constexpr double kHeadroom = 1.04;
/// A device or a measured level more than this much larger than everything else would flatten the
/// curves: it stays outside the axis, a device until the budget goes there.
constexpr std::int64_t kLargestShown = 2;

/// Middle of the planned step under which the peak of another curve is drawn, as axis position.
std::optional<double> peakPosition(const timeline::Timeline& curve, const StepAxis& axis,
                                   const std::vector<std::uint32_t>* stepAt)
{
    if (curve.stepCount() == 0 || axis.stepCount() == 0)
        return std::nullopt;
    std::size_t planned = curve.peakStep();
    if (stepAt != nullptr) {
        const auto found = std::find(stepAt->begin(), stepAt->end(), planned);
        if (found == stepAt->end())
            return std::nullopt;
        planned = static_cast<std::size_t>(found - stepAt->begin());
    }
    return (axis.positionOf(planned) + axis.positionOf(planned + 1)) / 2;
}
} // namespace

std::optional<base::Bytes> TimelineModel::unplannedPeak() const
{
    if (!set.unplanned)
        return std::nullopt;
    return set.unplanned->peak();
}

const CapacityMark* TimelineModel::chosenCapacity() const
{
    const auto chosen = std::find_if(capacities.begin(), capacities.end(),
                                     [](const CapacityMark& mark) { return mark.chosen; });
    return chosen == capacities.end() ? nullptr : &*chosen;
}

/// What the axis reaches whatever devices and levels there are.
base::Bytes TimelineModel::curveContent() const
{
    base::Bytes content = unplannedPeak().value_or(base::Bytes{});
    if (set.planned)
        content = std::max(content, set.planned->peak());
    if (measured && measured->live)
        content = std::max(content, measured->live->peak());
    if (budget)
        content = std::max(content, *budget);
    if (bound)
        content = std::max(content, bound->bytes);
    return content;
}

bool TimelineModel::showsLevel(base::Bytes level) const
{
    return level <= (frozen ? frozen->axisContent : curveContent() * kLargestShown);
}

base::Bytes TimelineModel::axisContent() const
{
    if (frozen)
        return frozen->axisContent;
    const base::Bytes curves = curveContent();
    base::Bytes content = curves;
    const CapacityMark* device = chosenCapacity();
    if (device != nullptr && (curves.count() == 0 || device->size <= curves * kLargestShown))
        content = std::max(content, device->size);
    if (measured)
        for (const MeasuredLevel& level : measured->levels)
            if (showsLevel(level.bytes))
                content = std::max(content, level.bytes);
    return base::Bytes{std::llround(static_cast<double>(content.count()) * kHeadroom)};
}

BudgetLimits TimelineModel::budgetLimits(const ByteAxis& bytes) const
{
    BudgetLimits limits;
    limits.axisTop = bytes.top;
    limits.gridStep = bytes.step;
    limits.unplannedPeak = unplannedPeak();
    limits.smallestFeasible = smallestFeasible;
    for (const CapacityMark& mark : capacities)
        limits.targets.push_back({mark.size, mark.name});
    if (smallestFeasible)
        limits.targets.push_back({*smallestFeasible, QStringLiteral("smallest")});
    if (bound)
        limits.targets.push_back({bound->bytes, QStringLiteral("lower bound")});
    if (limits.unplannedPeak)
        limits.targets.push_back({*limits.unplannedPeak, QStringLiteral("unplanned")});
    limits.targets.insert(limits.targets.end(), extraTargets.begin(), extraTargets.end());
    return limits;
}

Coordinates TimelineFrame::deviceCoordinates(double devicePixelRatio) const
{
    const QRectF& plot = at.plot();
    const QRectF device{0, 0, std::round(plot.width() * devicePixelRatio),
                        std::round(plot.height() * devicePixelRatio)};
    return Coordinates{device, at.visibleBegin(), at.visibleEnd(), at.top()};
}

double TimelineFrame::xOfStep(const StepAxis& axis, std::size_t step) const
{
    // The middle of the step, as far as it is visible.
    const double begin = std::max(axis.positionOf(step), at.visibleBegin());
    const double end = std::min(axis.positionOf(step + 1), at.visibleEnd());
    return at.xOf(end > begin ? (begin + end) / 2 : axis.positionOf(step));
}

double TimelineFrame::overviewX(double fraction) const
{
    return layout.overview.left() + fraction * layout.overview.width();
}

double TimelineFrame::overviewFraction(double x) const
{
    return (x - layout.overview.left()) / std::max(1.0, layout.overview.width());
}

TimelineFrame frameFor(const TimelineModel& model, const QSizeF& size, double scale)
{
    TimelineFrame frame;
    frame.layout = layoutTimeline(size, scale, model.budget.has_value());
    frame.bytes = byteAxis(model.axisContent(), frame.layout.plot.height(), 28.0 * scale);
    frame.axisLength = model.axisLength();
    const VisibleRange visible = model.viewport.range();
    frame.at = Coordinates{frame.layout.plot, visible.begin * frame.axisLength,
                           visible.end * frame.axisLength, frame.bytes.top};
    return frame;
}

std::optional<double> unplannedPeakPosition(const TimelineModel& model)
{
    if (model.frozen)
        return model.frozen->unplannedPeak;
    if (!model.set.unplanned)
        return std::nullopt;
    return peakPosition(*model.set.unplanned, model.axis, model.set.unplannedStepAt.get());
}

std::optional<double> measuredPeakPosition(const TimelineModel& model)
{
    if (model.frozen)
        return model.frozen->measuredPeak;
    if (!model.measured || !model.measured->live)
        return std::nullopt;
    return peakPosition(*model.measured->live, model.axis, model.measured->stepAt.get());
}

} // namespace plimsoll::ui
