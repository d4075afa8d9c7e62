// SPDX-License-Identifier: Apache-2.0
#include "ui/frontier/frontier_label.h"

#include "ui/base/theme.h"
#include "ui/plot/label_placer.h"
#include "ui/plot/planner_mark.h"

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr double kRing = 8; ///< its radius, with some space

void block(LabelPlacer& placer, const QPointF& center, double radius)
{
    placer.block({center.x() - radius, center.y() - radius, 2 * radius, 2 * radius});
}

} // namespace

QRectF placeFrontierLabel(const FrontierLabelMarks& marks, const QSizeF& size)
{
    const Theme& theme = Theme::current();
    const QRectF& plot = marks.plot;
    LabelPlacer placer{plot};
    for (const QPointF& plan : marks.plans)
        block(placer, plan, kPlannerMarkRadius);
    block(placer, marks.ring, kRing);
    const double right = marks.budget + theme.px(10);
    const double left = marks.budget - theme.px(10) - size.width();
    const double top = plot.top() + theme.px(6);
    std::vector<QRectF> places;
    for (double y = top; y + size.height() <= plot.bottom(); y += size.height())
        for (const double x : {right, left})
            places.emplace_back(QPointF{x, y}, size);
    if (const std::optional<QRectF> place = placer.place(places))
        return *place;
    const bool fitsRight = right + size.width() < plot.right();
    QRectF box{QPointF{fitsRight ? right : std::max(plot.left(), left), top}, size};
    if (box.adjusted(-kRing, -kRing, kRing, kRing).contains(marks.ring))
        box.moveTop(marks.ring.y() + theme.px(12));
    return box;
}

} // namespace plimsoll::ui
