// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/measurement.h"
#include "core/evaluate/certify.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// The timeline as a table: one row per step of a plan's schedule. Copies nothing: rows are read
/// from the plan's evaluation on demand.
class StepModel : public TableModel
{
    Q_OBJECT

public:
    enum Column {
        StepColumn,
        OpColumn,
        ModuleColumn,
        PhaseColumn,
        BeginColumn,
        TotalColumn,
        FirstClassColumn,
        MeasuredColumn = FirstClassColumn + static_cast<int>(timeline::kCategoryCount),
        DifferenceColumn, ///< measured minus predicted, with the sizes of the measured allocator
        AllocatorColumn,
        TookColumn,
        ColumnCount
    };

    explicit StepModel(QObject* parent = nullptr);

    /// A run that was measured under the plan, with the same ops as the plan's schedule, and its
    /// prediction.
    struct Measured
    {
        std::shared_ptr<const compare::MeasuredRun> run; ///< null: none, without columns for it
        plan::EvaluationPtr predicted;

        bool operator==(const Measured&) const = default;
    };

    /// Null: no rows.
    void setPlan(plan::VerifiedPlanPtr plan, Measured measured = {});

    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;

protected:
    [[nodiscard]] int rows() const override
    {
        return m_plan ? static_cast<int>(m_plan->evaluation().timeline->stepCount()) : 0;
    }
    [[nodiscard]] QString text(int row, int column) const override;

private:
    [[nodiscard]] QString measuredAt(std::size_t step, int column) const;

    plan::VerifiedPlanPtr m_plan;
    Measured m_measured;
};

} // namespace plimsoll::ui
