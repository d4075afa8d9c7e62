// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRectF>

#include <vector>

namespace plimsoll::ui {

/// What the label of the shown plan must not hide, in widget coordinates.
struct FrontierLabelMarks
{
    QRectF plot;
    double budget = 0; ///< x of its line
    QPointF ring;      ///< around the shown plan
    std::vector<QPointF> plans;
};

/// A place beside the budget's line, as high as possible, that hides no mark; without such a place,
/// the topmost one that leaves the ring free.
[[nodiscard]] QRectF placeFrontierLabel(const FrontierLabelMarks& marks, const QSizeF& size);

} // namespace plimsoll::ui
