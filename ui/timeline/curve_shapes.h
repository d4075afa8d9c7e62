// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/timeline_model.h"

#include <QPolygonF>

#include <memory>
#include <vector>

namespace plimsoll::ui {

/// Heights per logical column of a curve drawn at the planned positions of its ops, as
/// ghostColumns() has them; `stepAt` may be null.
[[nodiscard]] std::vector<float>
curveHeights(const timeline::Timeline& curve, const TimelineModel& model,
             const std::shared_ptr<const std::vector<std::uint32_t>>& stepAt,
             const TimelineFrame& frame);
/// Their upper edge as steps, from the plot's left; `base` is the y of height 0.
[[nodiscard]] QPolygonF edgeOf(const std::vector<float>& heights, double base);

} // namespace plimsoll::ui
