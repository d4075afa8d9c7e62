// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <Qt>

#include <cstdint>
#include <optional>

namespace plimsoll::ui {

class LabelPlacer;
class Theme;
struct PaintContext;
struct PlacedLabels;
struct TimelineFrame;

/// When an overlay paints, bottom to top; the view paints its own parts between the stages.
enum class PaintStage : std::uint8_t {
    Curves, ///< on the stack
    Levels, ///< below the range's veil
    Lines,  ///< over the cursor, below the peak
    Marks,  ///< over the peak
    Cards,  ///< below hover cards
};
/// Places labels.
struct Placing
{
    LabelPlacer& placer;
    PlacedLabels& labels;
    const TimelineFrame& frame;
    const Theme& theme;
};
/// When an overlay places its labels: earlier ones get better places.
enum class LabelRank : std::uint8_t { BeforeCards, BeforePeak, AfterPeak };
/// Whether an overlay is hit-tested before or after the view's own parts.
enum class HitRank : std::uint8_t { First, Last };

/// A part of an overlay under the pointer.
struct OverlayHit
{
    int part = 0; ///< the overlay's own number
    Qt::CursorShape cursor = Qt::PointingHandCursor;
    /// A press grabs it instead of waiting for a click; no card is shown over it.
    bool isGrip = false;
};

/// What is drawn over a timeline's stack: lines, marks and labels, painted and hit-tested between
/// the view's own. TimelineInput's overlay signals report what the mouse does with it.
class TimelineOverlay
{
public:
    TimelineOverlay() = default;
    TimelineOverlay(const TimelineOverlay&) = delete;
    TimelineOverlay& operator=(const TimelineOverlay&) = delete;
    virtual ~TimelineOverlay() = default;

    virtual void paint(const PaintContext& context, const PlacedLabels& labels,
                       PaintStage stage) = 0;
    /// Into PlacedLabels::overlay, in an order of its own.
    virtual void place(const Placing& to, LabelRank rank) const = 0;
    [[nodiscard]] virtual std::optional<OverlayHit> hitAt(const QPointF& pos,
                                                          const TimelineFrame& frame,
                                                          const PlacedLabels& labels,
                                                          HitRank rank) const = 0;
    /// Another frame or theme: discards everything cached from earlier paintings.
    virtual void invalidate() = 0;
};

} // namespace plimsoll::ui
