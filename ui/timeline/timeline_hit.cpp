// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_hit.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::ui {

namespace {

constexpr double kRangeHit = 5;

/// The phase band at a place of their rows.
std::optional<std::size_t> bandAt(const TimelineModel& model, const TimelineFrame& frame,
                                  const QPointF& pos)
{
    const double at = frame.at.positionAt(pos.x());
    const std::vector<timeline::Band>& bands = model.stacked->bands();
    for (std::size_t i = 0; i < bands.size(); ++i)
        if (frame.layout.bandRow(bands[i].row).contains(pos)
            && at >= model.axis.positionOf(bands[i].begin)
            && at < model.axis.positionOf(std::size_t{bands[i].end} + 1))
            return i;
    return std::nullopt;
}

Place rangeEdgeAt(const TimelineModel& model, const TimelineFrame& frame, double x)
{
    const auto isNear = [&](std::size_t step) {
        return std::abs(x - frame.at.xOf(model.axis.positionOf(step)))
               <= kRangeHit * frame.layout.scale;
    };
    if (isNear(model.range->begin))
        return Place::RangeBegin;
    return isNear(model.range->end + 1) ? Place::RangeEnd : Place::Nothing;
}

} // namespace

Hit hitAt(const TimelineModel& model, const TimelineFrame& now, const PlacedLabels& labels,
          const QPointF& pos)
{
    const bool inPlot = now.at.plot().contains(pos);
    const auto overlayHit = [&](HitRank rank) {
        return model.overlay == nullptr ? std::nullopt
                                        : model.overlay->hitAt(pos, now, labels, rank);
    };
    if (const auto hit = overlayHit(HitRank::First))
        return {Place::Overlay, 0, {}, *hit};
    const std::size_t pinned = std::min(model.pins.size(), labels.cards.size());
    for (std::size_t i = 0; i < pinned; ++i)
        if (hoverCardPin(Theme::current(), labels.cards[i]).contains(pos))
            return {Place::Pin, i, {}, {}};
    if (model.range && inPlot)
        if (const Place edge = rangeEdgeAt(model, now, pos.x()); edge != Place::Nothing)
            return {edge, 0, {}, {}};
    const OverviewPart part = overviewPartAt(model, now, pos);
    if (part != OverviewPart::None)
        return {Place::Overview, 0, part, {}};
    if (now.layout.bands.contains(pos) && model.stacked)
        if (const auto band = bandAt(model, now, pos))
            return {Place::Band, *band, {}, {}};
    if (const auto mark = peakMark(model, now); mark && isOnMark(*mark, pos, now.layout.scale))
        return {Place::Peak, 0, {}, {}};
    if (const auto hit = overlayHit(HitRank::Last))
        return {Place::Overlay, 0, {}, *hit};
    if (now.isOnMemoryAxis(pos))
        return {Place::MemoryAxis, 0, {}, {}};
    return {inPlot ? Place::Plot : Place::Nothing, 0, {}, {}};
}

Qt::CursorShape cursorFor(const Hit& hit)
{
    switch (hit.place) {
    case Place::Overlay: return hit.overlay.cursor;
    case Place::RangeBegin:
    case Place::RangeEnd: return Qt::SizeHorCursor;
    case Place::Overview:
        return hit.part == OverviewPart::Window    ? Qt::OpenHandCursor
               : hit.part == OverviewPart::Outside ? Qt::CrossCursor
                                                   : Qt::SizeHorCursor;
    case Place::Band:
    case Place::Peak:
    case Place::Pin: return Qt::PointingHandCursor;
    case Place::Plot: return Qt::CrossCursor;
    case Place::MemoryAxis: return Qt::SizeVerCursor;
    case Place::Nothing: break;
    }
    return Qt::ArrowCursor;
}

} // namespace plimsoll::ui
