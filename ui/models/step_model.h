// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/certify.h"

#include <QAbstractTableModel>

namespace plimsoll::ui {

/// The timeline as a table: one row per step of a plan's schedule. Copies nothing: rows are read
/// from the plan's evaluation when they are asked for.
class StepModel : public QAbstractTableModel
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
        ColumnCount = FirstClassColumn + static_cast<int>(timeline::kCategoryCount)
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Null: no rows.
    void setPlan(plan::VerifiedPlanPtr plan);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString textAt(std::size_t step, int column) const;

    plan::VerifiedPlanPtr m_plan;
};

} // namespace plimsoll::ui
