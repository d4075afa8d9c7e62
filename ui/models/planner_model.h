// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "ui/models/table_model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// Where one planner stands at the present budget.
struct PlannerRow
{
    QString planner; ///< its id
    QString state;
    QString shortState;          ///< where there is no room for that one
    std::optional<int> perMille; ///< of one that runs
    std::optional<base::Bytes> peak;
    std::optional<double> slower; ///< share of the unplanned step
    bool isChosen = false;
    bool isUsed = false; ///< the plan that is shown is its own
    QString tip;         ///< sentences

    bool operator==(const PlannerRow&) const = default;
};

/// The planners side by side, always all of them and in the same order: only cells change.
class PlannerModel : public RowsModel<PlannerRow>
{
    Q_OBJECT

public:
    enum Column { NameColumn, StateColumn, PeakColumn, SlowerColumn, ColumnCount };
    enum DataRole {
        PlannerRole = Qt::UserRole, ///< id
        PerMilleRole,               ///< invalid: it doesn't run
        ChosenRole,
        UsedRole,
        ShortStateRole,
    };

    explicit PlannerModel(QObject* parent = nullptr);

    /// Tells of the cells that are different now, and of no others.
    void setRows(std::vector<PlannerRow> rows);
    /// From now on peaks are told in the unit that such a size has; the head says which.
    void setUnitOf(base::Bytes size);

    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    void replaceRow(int row, PlannerRow now);

    base::Bytes m_unitOf{std::int64_t{1} << 30};
};

} // namespace plimsoll::ui
