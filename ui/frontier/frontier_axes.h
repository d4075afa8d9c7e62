// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"

#include <QPointF>
#include <QRectF>

namespace plimsoll::ui {

inline constexpr double kGiB = 1073741824.0;

[[nodiscard]] inline double gibOf(base::Bytes bytes)
{
    return static_cast<double>(bytes.count()) / kGiB;
}

/// Where plans lie in a plot of slow-down against peak.
struct FrontierAxes
{
    QRectF plot;
    double minGiB = 0;
    double maxGiB = 1;
    double maxSlower = 0.1;
    /// Up to here the axis is in scale; above, if that is below maxSlower, it is broken: what few
    /// plans are there share a strip at the top.
    double limit = 0.1;

    [[nodiscard]] bool isBroken() const { return limit < maxSlower; }
    [[nodiscard]] QPointF at(double gib, double slower) const;
    /// Of the plot's height, in scale.
    [[nodiscard]] double scaledHeight() const;
};

/// Axes on which all candidates of the frontier lie, and the lower bound on peaks. The frontier has
/// points. Slow-downs are against `unplannedTime`.
[[nodiscard]] FrontierAxes frontierAxes(const QRectF& plot, const plan::Frontier& frontier,
                                        base::Nanoseconds unplannedTime, base::Bytes lowerBound);

} // namespace plimsoll::ui
