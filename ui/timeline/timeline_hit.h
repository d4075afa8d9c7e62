// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/overview.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/timeline_overlay.h"

namespace plimsoll::ui {

/// What the pointer is over.
enum class Place : std::uint8_t {
    Nothing,
    Overlay,
    RangeBegin,
    RangeEnd,
    Pin,
    Plot,
    Band,
    Overview,
    Peak,
    MemoryAxis,
};
struct Hit
{
    Place place = Place::Nothing;
    std::size_t index = 0; ///< of a pin or band
    OverviewPart part = OverviewPart::None;
    OverlayHit overlay;
};
/// The labels as last painted.
[[nodiscard]] Hit hitAt(const TimelineModel& model, const TimelineFrame& now,
                        const PlacedLabels& labels, const QPointF& pos);
[[nodiscard]] Qt::CursorShape cursorFor(const Hit& hit);

} // namespace plimsoll::ui
