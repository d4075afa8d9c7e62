// SPDX-License-Identifier: Apache-2.0
#include "ui/frontier/frontier_axes.h"

#include "ui/base/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace plimsoll::ui {

namespace {

constexpr double kQuantile = 0.9; ///< of the plans' slow-downs: up to there the axis is in scale
constexpr double kOutlier = 1.8;  ///< how much larger the largest must be to break the axis
constexpr double kStrip = 0.2;    ///< of the plot's height, above the break

} // namespace

double FrontierAxes::scaledHeight() const
{
    return plot.height() * (isBroken() ? 1 - kStrip : 1);
}

QPointF FrontierAxes::at(double gib, double slower) const
{
    const double x = plot.left() + (gib - minGiB) / (maxGiB - minGiB) * plot.width();
    if (slower <= limit || !isBroken())
        return {x, plot.bottom() - slower / limit * scaledHeight()};
    const double strip = plot.height() - scaledHeight();
    return {x, plot.top() + strip - (slower - limit) / (maxSlower - limit) * strip};
}

FrontierAxes frontierAxes(const QRectF& plot, const plan::Frontier& frontier,
                          base::Nanoseconds unplannedTime, base::Bytes lowerBound)
{
    FrontierAxes axes;
    axes.plot = plot;
    double least = gibOf(lowerBound);
    double most = 0;
    std::vector<double> slower;
    for (const auto* plans : {&frontier.points(), &frontier.dominated()})
        for (const plan::FrontierPoint& plan : *plans) {
            least = std::min(least, gibOf(plan->evaluation().peak));
            most = std::max(most, gibOf(plan->evaluation().peak));
            slower.push_back(slowDown(plan->evaluation().stepTime, unplannedTime));
        }
    const double margin = std::max((most - least) * 0.06, most * 0.01);
    axes.minGiB = std::max(0.0, least - 2 * margin);
    axes.maxGiB = most + margin;
    const auto most90 = slower.begin()
                        + static_cast<std::ptrdiff_t>(
                            std::floor(kQuantile * static_cast<double>(slower.size() - 1)));
    const double largest = *std::ranges::max_element(slower);
    std::ranges::nth_element(slower, most90);
    axes.maxSlower = std::max(axes.maxSlower, largest * 1.1);
    axes.limit = std::max(axes.limit, *most90 * 1.25);
    if (axes.maxSlower < kOutlier * axes.limit) // nothing is squashed
        axes.limit = axes.maxSlower;
    return axes;
}

} // namespace plimsoll::ui
