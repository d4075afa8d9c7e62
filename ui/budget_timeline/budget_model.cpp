// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_model.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {

/// A device or measured level more than this factor above everything else would flatten the curves:
/// it stays off the axis, a device until the budget reaches it.
constexpr std::int64_t kLargestShown = 2;

/// The axis position of another curve's peak: the middle of the corresponding planned step.
std::optional<double> peakPosition(const timeline::Timeline& curve, const StepAxis& axis,
                                   const StepMap& stepAt)
{
    if (curve.stepCount() == 0 || axis.stepCount() == 0)
        return std::nullopt;
    std::size_t planned = curve.peakStep();
    if (stepAt) {
        const auto found = std::ranges::find(*stepAt, planned);
        if (found == stepAt->end())
            return std::nullopt;
        planned = static_cast<std::size_t>(found - stepAt->begin());
    }
    return (axis.positionOf(planned) + axis.positionOf(planned + 1)) / 2;
}

} // namespace

base::Bytes BudgetModel::curveContent() const
{
    base::Bytes content = unplanned ? unplanned->peak() : base::Bytes{};
    if (plot.stacked)
        content = std::max(content, plot.stacked->peak());
    if (measured && measured->live)
        content = std::max(content, measured->live->peak());
    if (plot.line)
        content = std::max(content, *plot.line);
    if (bound)
        content = std::max(content, bound->bytes);
    return content;
}

bool BudgetModel::showsLevel(base::Bytes level) const
{
    return level <= (drag ? plot.axisContent() : curveContent() * kLargestShown);
}

base::Bytes BudgetModel::content() const
{
    const base::Bytes curves = curveContent();
    base::Bytes content = curves;
    const auto device = std::ranges::find_if(capacities, &CapacityMark::chosen);
    if (device != capacities.end()
        && (curves.count() == 0 || device->size <= curves * kLargestShown))
        content = std::max(content, device->size);
    if (measured)
        for (const MeasuredLevel& level : measured->levels)
            if (showsLevel(level.bytes))
                content = std::max(content, level.bytes);
    return content;
}

BudgetLimits BudgetModel::limits(const TimelineFrame& frame) const
{
    BudgetLimits limits;
    limits.shown = frame.bytes.shown;
    limits.axisTop = frame.wholeTop;
    limits.gridStep = frame.bytes.step;
    limits.smallestFeasible = smallestFeasible;
    for (const CapacityMark& mark : capacities)
        limits.targets.push_back({mark.size, mark.name});
    if (smallestFeasible)
        limits.targets.push_back({*smallestFeasible, QStringLiteral("smallest")});
    if (bound)
        limits.targets.push_back({bound->bytes, QStringLiteral("lower bound")});
    if (unplanned) {
        limits.unplannedPeak = unplanned->peak();
        limits.targets.push_back({unplanned->peak(), QStringLiteral("unplanned")});
    }
    limits.targets.insert(limits.targets.end(), extraTargets.begin(), extraTargets.end());
    return limits;
}

std::optional<double> BudgetModel::unplannedPeakPosition() const
{
    if (frozen)
        return frozen->unplannedPeak;
    return unplanned ? peakPosition(*unplanned, plot.axis, unplannedStepAt) : std::nullopt;
}

std::optional<double> BudgetModel::measuredPeakPosition() const
{
    if (frozen)
        return frozen->measuredPeak;
    return measured && measured->live ? peakPosition(*measured->live, plot.axis, measured->stepAt)
                                      : std::nullopt;
}

std::optional<std::size_t> BudgetModel::measuredStepAt(std::size_t plannedStep) const
{
    if (!measured || !measured->live)
        return std::nullopt;
    const StepMap& map = measured->stepAt;
    if (map && plannedStep >= map->size())
        return std::nullopt;
    const std::size_t step = map ? (*map)[plannedStep] : plannedStep;
    return step < measured->live->stepCount() ? std::optional{step} : std::nullopt;
}

} // namespace plimsoll::ui
