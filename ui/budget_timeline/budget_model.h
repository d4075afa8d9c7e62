// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_values.h"
#include "ui/timeline/timeline_model.h"

namespace plimsoll::ui {

/// The curves shown: the plan's, filled, and the unplanned program's, dashed.
struct TimelineSet
{
    timeline::TimelinePtr planned;
    timeline::TimelinePtr unplanned; ///< may be null or the same object
    /// For each planned step the unplanned step of the same op (the last one while something is
    /// recomputed).
    StepMap unplannedStepAt;
};

/// A size that was measured for the whole step.
struct MeasuredLevel
{
    base::Bytes bytes;
    QString name; ///< "allocator peak"

    bool operator==(const MeasuredLevel&) const = default;
};

/// The measurement of real steps, shown over the prediction.
struct MeasuredSet
{
    timeline::TimelinePtr live;      ///< null: not known by op
    timeline::TimelinePtr predicted; ///< prediction of `live`, step by step
    /// How its sizes are counted where those of the plan are not: "without rounding"; else empty.
    QString basis;
    /// Maps planned steps to those of `live` if only the unplanned step was measured. Null: the
    /// same steps.
    StepMap stepAt;
    std::vector<MeasuredLevel> levels;

    bool operator==(const MeasuredSet&) const = default;
};

/// The lower bound on the peak of any plan, and where it is reached.
struct LowerBound
{
    base::Bytes bytes;
    QString where;                   ///< "lm_head, backward"
    std::optional<std::size_t> step; ///< planned step at which it is reached
};

enum class BudgetState : std::uint8_t { Feasible, Infeasible };

/// A row of the readout beside the line while it is dragged.
struct ReadoutRow
{
    QString name;  ///< "Step time"
    QString value; ///< "+15.3 ms (+10.2 %)"
};

/// What is drawn over the timeline of a plan; the budget itself is the timeline's line.
struct BudgetModel
{
    /// The timeline of the plan, which must outlive it.
    explicit BudgetModel(const TimelineModel& planned) : plot{planned} {}

    const TimelineModel& plot;

    timeline::TimelinePtr unplanned; ///< may be null or the planned timeline
    StepMap unplannedStepAt;
    QString unplannedPeakName;
    std::optional<MeasuredSet> measured;

    BudgetState state = BudgetState::Feasible;
    bool stale = false;
    std::optional<LowerBound> bound;
    std::optional<base::Bytes> smallestFeasible;
    std::vector<CapacityMark> capacities;
    std::vector<SnapTarget> extraTargets;
    std::vector<ReadoutRow> readout;
    bool lineHovered = false;
    bool lineFocused = false; ///< by keyboard
    std::optional<BudgetDrag> drag;

    /// What is fixed while the mouse button is down.
    struct Frozen
    {
        std::optional<double> unplannedPeak; ///< axis position
        std::optional<double> measuredPeak;  ///< axis position
    };
    std::optional<Frozen> frozen;

    /// The value up to which the memory axis must reach.
    [[nodiscard]] base::Bytes content() const;
    [[nodiscard]] BudgetLimits limits(const TimelineFrame& frame) const;
    /// Whether a measured level is shown on the axis: one far above everything else would flatten
    /// the curves.
    [[nodiscard]] bool showsLevel(base::Bytes level) const;
    /// Axis position of the unplanned peak on the planned axis.
    [[nodiscard]] std::optional<double> unplannedPeakPosition() const;
    /// Of the measured peak; none if it isn't known by op.
    [[nodiscard]] std::optional<double> measuredPeakPosition() const;
    /// The step of the measured curve at a planned step.
    [[nodiscard]] std::optional<std::size_t> measuredStepAt(std::size_t plannedStep) const;

private:
    /// The value up to which the axis reaches, whatever the devices and levels.
    [[nodiscard]] base::Bytes curveContent() const;
};

} // namespace plimsoll::ui
