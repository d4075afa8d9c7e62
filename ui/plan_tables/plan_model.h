// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"
#include "ui/models/table_model.h"

#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::ui {

/// A decision of a plan.
struct PlanRow
{
    /// Ops first..last of the row's region, or the first recomputed op and the op before which it
    /// runs, which identify the same decision in another plan.
    using Stretch = std::pair<graph::OpIndex, graph::OpIndex>;
    Stretch stretch;
    QString tensors;
    std::vector<graph::OpId> kept; ///< in saved sets
    QString module;
    QString source;
    base::Bytes saved;      ///< what forward no longer keeps for backward
    base::Nanoseconds cost; ///< of all their recomputations
    int firstStep = 0;
    int moved = 0;          ///< ops that run here instead of at their own place
    bool isRepeated = true; ///< whether some are recomputed

    friend bool operator==(const PlanRow&, const PlanRow&) = default;
};

/// The decisions of a verified plan: one row per outermost region, at runtime Step one per op
/// before which others run, recomputed or ahead of their place; the figures are evaluate()'s. Sorts
/// itself, largest first by default: a proxy would map and reset all rows with each plan during a
/// drag.
class PlanModel : public RowsModel<PlanRow>
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
        FractionRole = Qt::UserRole, ///< saved bytes of the row / those of the largest row
        LinkRole,                    ///< whether the cell is a link to a place in the source
        PathRole,                    ///< its target: path:line
        FirstStepRole,               ///< step of the region's first forward op, for selection
    };

    explicit PlanModel(QObject* parent = nullptr);

    /// Null: no rows. Rows are replaced in place: views keep their scroll position and widths.
    void setPlan(plan::VerifiedPlanPtr plan);
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    [[nodiscard]] const plan::VerifiedPlanPtr& plan() const { return m_plan; }
    /// Number of recomputed regions, including nested ones, or of ops before which others are
    /// recomputed.
    [[nodiscard]] int decisionCount() const { return m_decisionCount; }
    /// Number of ops that run ahead of their place.
    [[nodiscard]] int movedCount() const { return m_movedCount; }
    using Stretch = PlanRow::Stretch;
    [[nodiscard]] const Stretch& stretchAt(int row) const { return rowAt(row).stretch; }
    /// The row of that region; none if the plan doesn't recompute it.
    [[nodiscard]] std::optional<int> rowOf(const Stretch& stretch) const;

protected:
    [[nodiscard]] QString text(int row, int column) const override
    {
        return textOf(rowAt(row), column);
    }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] static std::vector<PlanRow> rowsOf(const plan::VerifiedPlan& plan);
    [[nodiscard]] static std::vector<PlanRow> repeatsOf(const plan::VerifiedPlan& verified);
    [[nodiscard]] QString keptText(const PlanRow& row) const;
    [[nodiscard]] static QString textOf(const PlanRow& row, int column);
    void sortRows(std::vector<PlanRow>& rows) const;
    void replaceRows(std::vector<PlanRow> rows);

    plan::VerifiedPlanPtr m_plan;
    base::Bytes m_mostSaved{1}; ///< of all rows
    int m_decisionCount = 0;
    int m_movedCount = 0;
    int m_sortColumn = SavedColumn;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace plimsoll::ui
