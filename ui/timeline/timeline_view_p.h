// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/timeline/budget_handle.h"
#include "ui/timeline/ghost.h"
#include "ui/timeline/overview.h"
#include "ui/timeline/paint_context.h"
#include "ui/timeline/patterns.h"
#include "ui/timeline/stack_raster.h"
#include "ui/timeline/timeline_view.h"

#include <QLineEdit>
#include <QPixmap>
#include <QPointer>

namespace plimsoll::ui {

/// What the pointer is on.
enum class Place : std::uint8_t {
    Nothing,
    BudgetLine,
    BudgetPill,
    RangeBegin,
    RangeEnd,
    Pin,
    Plot,
    Band,
    Overview,
    Peak,
    Capacity,
    Bound,
};
struct Hit
{
    Place place = Place::Nothing;
    std::size_t index = 0; ///< of a pin, band or device
    OverviewPart part = OverviewPart::None;
};

class TimelineView::Private
{
public:
    /// Axes, bands, stack, overview: what the line leaves as it is.
    struct Base
    {
        StackPicture stack;
        bool isCurrent = false;
    };

    explicit Private(TimelineView& owner);

    [[nodiscard]] TimelineFrame frame() const;
    [[nodiscard]] double ratio() const { return view.devicePixelRatioF(); }

    // Painting.
    void paint(QPainter& painter);
    void refresh(const TimelineFrame& frame);
    void compose(const TimelineFrame& frame);
    [[nodiscard]] Base& shownBase() { return model.pale ? paleBase : base; }
    void invalidate(); ///< everything; while dragging, only what the plan changes
    void invalidateAll();
    void describe();
    void placeHandle();

    // Budget.
    void beginDrag(const QPointF& pos);
    void dragTo(const QPointF& pos, Qt::KeyboardModifiers modifiers);
    void endDrag();
    void cancelDrag();
    void commit(base::Bytes budget);
    void openField();
    void readField();
    void closeField();

    // Pointer and keys.
    [[nodiscard]] Hit hitAt(const QPointF& pos) const;
    void press(const QPointF& pos, Qt::MouseButton button);
    void move(const QPointF& pos, Qt::MouseButtons buttons, Qt::KeyboardModifiers modifiers);
    void release(const QPointF& pos, Qt::MouseButton button);
    void doubleClick(const QPointF& pos);
    void hoverAt(const QPointF& pos);
    void click(const QPointF& pos);
    void showCursorFor(const Hit& hit);
    void setCursorStep(std::optional<std::size_t> step, bool card);
    void moveCursor(int columns, bool byEvent);
    [[nodiscard]] std::optional<std::size_t> stepAtX(double x) const;
    void setRange(std::optional<StepRange> range);
    void togglePin(std::size_t step);
    void setPins(std::vector<std::size_t> pins);
    void showUser(VisibleRange range);
    void zoomBy(double factor, std::optional<double> anchor = std::nullopt);
    void moveOverview(const QPointF& pos);
    bool escape();

    TimelineView& view;
    TimelineModel model;
    QPointer<Selection> selection;
    BudgetHandle* handle = nullptr;
    QLineEdit* field = nullptr;

    // Caches.
    Base base;
    Base paleBase; ///< of a plan that does not belong to the budget; a drag crosses there and back
    Ghost ghost;
    QPixmap measured; ///< the measured curve
    StackColumns columns;
    FillTiles tiles;
    FillTiles paleTiles; ///< of a plan that does not belong to the budget
    double tilesRatio = 0;
    bool groundDirty = true;
    bool ghostDirty = true;
    bool measuredDirty = true;
    bool stackDirty = true;
    PlacedLabels labels; ///< of the last paint

    // Interaction.
    enum class Grab : std::uint8_t {
        None,
        Budget,
        Press,
        Range,
        RangeBegin,
        RangeEnd,
        Pan,
        Overview
    };
    Grab grab = Grab::None;
    OverviewPart overviewPart = OverviewPart::None;
    QPointF pressed;
    VisibleRange grabbedRange;
    std::vector<std::size_t> pinsBeforePress;
};

} // namespace plimsoll::ui
