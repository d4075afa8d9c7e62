// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/certify.h"

#include <QAbstractTableModel>

#include <vector>

namespace plimsoll::ui {

/// The decisions of a verified plan: one row per outermost region, largest first; the figures are
/// evaluate()'s.
class PlanModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        DecisionColumn,
        TensorColumn,
        SavedColumn,
        CostColumn,
        ModuleColumn,
        SourceColumn,
        ColumnCount
    };
    enum DataRole {
        SortRole = Qt::UserRole, ///< number or text to sort by
        FractionRole,            ///< saved bytes of the row / those of the largest row, for the bar
        LinkRole,                ///< whether the cell is a link to a place in the source
        PathRole,                ///< that place: path:line
        FirstStepRole,           ///< step of the region's first forward op, for selection
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Null: no rows.
    void setPlan(plan::VerifiedPlanPtr plan);
    [[nodiscard]] const plan::VerifiedPlanPtr& plan() const { return m_plan; }
    /// Number of recomputed regions, nested ones included.
    [[nodiscard]] int regionCount() const { return m_regionCount; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    struct Row
    {
        const plan::Region* region = nullptr;
        QString tensors;
        QString module;
        QString source;
        base::Bytes saved;      ///< what forward no longer keeps for backward
        base::Nanoseconds cost; ///< of all their recomputations
        int firstStep = 0;
    };
    [[nodiscard]] Row rowOf(const plan::Region& region) const;
    [[nodiscard]] QString text(const Row& row, int column) const;

    plan::VerifiedPlanPtr m_plan;
    std::vector<Row> m_rows;
    int m_regionCount = 0;
};

} // namespace plimsoll::ui
