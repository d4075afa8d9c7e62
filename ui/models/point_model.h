// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/frontier.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// The frontier as a table: one row per plan, by rising peak. Doesn't copy the frontier.
class PointModel : public TableModel
{
    Q_OBJECT

public:
    enum Column {
        PeakColumn,
        TimeColumn,
        SlowDownColumn,
        RegionsColumn,
        PlannerColumn,
        ColumnCount
    };

    explicit PointModel(QObject* parent = nullptr);

    /// Slow-downs are against `unplannedTime`.
    void setFrontier(plan::FrontierPtr frontier, base::Nanoseconds unplannedTime);
    /// The plan of a row. Requires an existing row.
    [[nodiscard]] const plan::FrontierPoint& pointAt(int row) const
    {
        return m_frontier->points()[static_cast<std::size_t>(row)];
    }

    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

protected:
    [[nodiscard]] int rows() const override
    {
        return m_frontier ? static_cast<int>(m_frontier->points().size()) : 0;
    }
    [[nodiscard]] QString text(int row, int column) const override;

private:
    plan::FrontierPtr m_frontier; ///< null: no rows
    base::Nanoseconds m_unplannedTime;
};

} // namespace plimsoll::ui
