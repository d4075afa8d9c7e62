// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_layout.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {
constexpr double kLeftGutter = 58;
constexpr double kRightGutter = 112;
constexpr double kRightGutterBare = 96;
constexpr double kHeader = 36;
constexpr double kBands = 17;
constexpr double kBandsGap = 3;
constexpr double kAxis = 22;
constexpr double kOverview = 34;
constexpr double kBelow = 8;
constexpr double kLeastPlot = 160;
} // namespace

TimelineLayout layoutTimeline(const QSizeF& size, double scale, bool withBudget)
{
    const auto px = [scale](double length) { return std::round(length * scale); };
    const double left = px(kLeftGutter);
    const double right = size.width() - px(withBudget ? kRightGutter : kRightGutterBare);
    const double width = std::max(1.0, right - left);

    double free = size.height() - px(kHeader) - px(kAxis) - px(kBelow) - px(kLeastPlot);
    const bool hasBands = free >= px(kBands) + px(kBandsGap);
    if (hasBands)
        free -= px(kBands) + px(kBandsGap);
    const bool hasOverview = hasBands && free >= px(kOverview);

    TimelineLayout layout;
    layout.scale = scale;
    layout.header = QRectF{0, 0, size.width(), px(kHeader)};
    double top = px(kHeader);
    if (hasBands) {
        layout.bands = QRectF{left, top, width, px(kBands)};
        top += px(kBands) + px(kBandsGap);
    }
    double bottom = size.height() - px(kBelow);
    if (hasOverview) {
        layout.overview = QRectF{left, bottom - px(kOverview), width, px(kOverview)};
        bottom -= px(kOverview);
    }
    layout.axis = QRectF{left, bottom - px(kAxis), width, px(kAxis)};
    layout.plot = QRectF{left, top, width, std::max(1.0, layout.axis.top() - top)};
    layout.gutter = QRectF{right, layout.plot.top(), size.width() - right, layout.plot.height()};
    return layout;
}

} // namespace plimsoll::ui
