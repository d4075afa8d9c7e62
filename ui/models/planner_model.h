// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "ui/models/table_model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// The state of one planner at the current budget.
struct PlannerRow
{
    QString planner; ///< its id
    QString state;
    QString shortState;          ///< if there is no room for that one
    std::optional<int> perMille; ///< for a running planner
    std::optional<base::Bytes> peak;
    std::optional<double> slower; ///< relative to the unplanned step
    bool isChosen = false;
    bool isUsed = false; ///< its plan is the one shown
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
        PerMilleRole,               ///< invalid: not running
        ChosenRole,
        UsedRole,
        ShortStateRole,
    };

    explicit PlannerModel(QObject* parent = nullptr);

    /// Emits changes only for the cells that differ.
    void setRows(std::vector<PlannerRow> rows);
    /// Sets the unit for peaks, which the header names, to that of such a size.
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
