// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/selection.h"
#include "ui/plot/ticks.h"
#include "ui/timeline/coordinates.h"
#include "ui/timeline/timeline_data.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/viewport.h"

namespace plimsoll::ui {

/// Everything that decides what the timeline looks like; the view changes it, painters read it.
struct TimelineModel
{
    TimelineSet set;
    std::optional<MeasuredSet> measured;
    StepAxis axis; ///< of the planned timeline
    QString title;
    QStringList subtitle; ///< facts, the most important one first
    QString plannedPeakName;
    QString unplannedPeakName;

    std::optional<base::Bytes> budget;
    BudgetState budgetState = BudgetState::Feasible;
    bool stale = false;
    bool pale = false;
    std::optional<LowerBound> bound;
    std::optional<base::Bytes> smallestFeasible;
    std::vector<CapacityMark> capacities;
    std::vector<SnapTarget> extraTargets;
    std::vector<ReadoutRow> readout;
    HoverProvider hover;

    Viewport viewport;
    std::optional<StepRange> range;
    std::optional<std::size_t> cursorStep;
    std::vector<std::size_t> pins;
    bool cursorCard = false; ///< the card follows the cursor
    bool lineHovered = false;
    bool lineFocused = false; ///< by keyboard
    bool plotFocused = false; ///< by keyboard
    std::optional<BudgetDrag> drag;

    /// What stands still while the mouse button is down.
    struct Frozen
    {
        base::Bytes axisContent;
        double axisLength = 1;
        std::optional<double> unplannedPeak; ///< axis position
        std::optional<double> measuredPeak;  ///< axis position
    };
    std::optional<Frozen> frozen;

    /// What the memory axis must reach.
    [[nodiscard]] base::Bytes curveContent() const;
    [[nodiscard]] base::Bytes axisContent() const;
    [[nodiscard]] double axisLength() const { return frozen ? frozen->axisLength : axis.length(); }
    [[nodiscard]] BudgetLimits budgetLimits(const ByteAxis& bytes) const;
    [[nodiscard]] std::optional<base::Bytes> unplannedPeak() const;
    /// Whether a measured level has a place on the axis: one that is far above all else would
    /// flatten the curves.
    [[nodiscard]] bool showsLevel(base::Bytes level) const;
    /// Device whose memory is this budget.
    [[nodiscard]] const CapacityMark* chosenCapacity() const;
};

/// The model laid out at a size.
struct TimelineFrame
{
    TimelineLayout layout;
    ByteAxis bytes;
    Coordinates at; ///< logical pixels of the widget
    double axisLength = 1;

    /// The same plot in device pixels, starting at 0, 0.
    [[nodiscard]] Coordinates deviceCoordinates(double devicePixelRatio) const;
    /// Axis position as fraction of the whole and back.
    [[nodiscard]] double xOfStep(const StepAxis& axis, std::size_t step) const;
    [[nodiscard]] double overviewX(double fraction) const;
    [[nodiscard]] double overviewFraction(double x) const;
};
[[nodiscard]] TimelineFrame frameFor(const TimelineModel& model, const QSizeF& size, double scale);

/// Axis position of the unplanned peak on the planned axis.
[[nodiscard]] std::optional<double> unplannedPeakPosition(const TimelineModel& model);
/// Axis position of the measured peak on the planned axis; none while it isn't known by op.
[[nodiscard]] std::optional<double> measuredPeakPosition(const TimelineModel& model);

} // namespace plimsoll::ui
