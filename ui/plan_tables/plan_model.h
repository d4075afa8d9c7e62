// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/plan_tables/plan_tree.h"
#include "ui/tables/cell_roles.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// Presents the tree of a plan: groups of decisions, decisions, and the values that each
/// recomputes. A decision is an outermost region, or at runtime Step an op before which others run,
/// recomputed or ahead of their place. Sorts itself, largest first by default: a proxy would map
/// and reset all rows with each plan during a drag.
class PlanModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column {
        ModuleColumn,
        SavedColumn,
        CostColumn,
        TensorColumn,
        SourceColumn,
        DecisionColumn,
        RateColumn,
        OpColumn,
        LastUseColumn,
        PinColumn,
        ColumnCount
    };
    enum DataRole {
        // FractionRole: saved bytes of the row / those of the largest row
        FirstStepRole = FirstModelRole, ///< step of the row's first op, for selection
        ModuleRole,      ///< in which the row begins, index into Program::modules; invalid: in none
        BlockLengthRole, ///< as PlanNameParts
        CountLengthRole,
        KeyRole, ///< qint64, the same in other plans of the program; invalid for values
    };
    using Stretch = PlanRow::Stretch;

    using QAbstractItemModel::QAbstractItemModel;

    /// Null: no rows. Persistent indexes, and with them the selection and what is open, follow
    /// their decisions.
    void setPlan(const plan::VerifiedPlanPtr& plan);
    /// Shows only decisions with an op that runs in the range.
    void setRange(std::optional<StepRange> range);
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    [[nodiscard]] const plan::VerifiedPlanPtr& plan() const { return m_tree.plan(); }
    /// Number of recomputed regions, including nested ones, or of ops before which others are
    /// recomputed.
    [[nodiscard]] int decisionCount() const { return m_decisionCount; }
    /// Number of ops that run ahead of their place.
    [[nodiscard]] int movedCount() const { return m_movedCount; }
    /// All decisions in the plan's order, whether in a group or not, and whether shown or not.
    [[nodiscard]] const std::vector<PlanRow>& decisions() const { return m_tree.decisions(); }
    /// The decisions that a row is about.
    [[nodiscard]] std::vector<Stretch> stretchesAt(const QModelIndex& index) const;
    /// The row of that decision; invalid if the plan doesn't have it.
    [[nodiscard]] QModelIndex indexOf(const Stretch& stretch, int column = 0) const;
    /// The first decision about ops of a module; invalid: there is none.
    [[nodiscard]] QModelIndex indexOfModule(std::size_t module) const;
    /// Globs that pin what a row is about; those of a group that has every block fit all of them.
    [[nodiscard]] QStringList globsAt(const QModelIndex& index) const;

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    /// A row, whatever plan of the program shows it.
    struct Identity
    {
        PlanSpot::Kind kind = PlanSpot::Kind::Group;
        int key = 0; ///< of a group
        Stretch stretch = {};
        graph::OpId op = {};
        std::optional<graph::StorageId> storage = {};
    };

    [[nodiscard]] static PlanSpot spotAt(const QModelIndex& index);
    [[nodiscard]] QModelIndex indexOf(const PlanSpot& spot, int column) const;
    [[nodiscard]] std::optional<int> decisionOf(const Stretch& stretch) const;
    void build(const plan::VerifiedPlanPtr& plan);
    void replace(PlanTree next);
    void tellChanges(const PlanTree& before);
    void tellRows(const QModelIndex& parent, const std::vector<bool>& isChanged);
    [[nodiscard]] Identity identityOf(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex find(const Identity& identity, int column) const;
    [[nodiscard]] QVariant keyAt(const PlanSpot& spot) const;
    [[nodiscard]] int firstStepAt(const PlanSpot& spot) const;

    PlanTree m_tree;
    std::optional<StepRange> m_range;
    PlanGroupNumbers m_groupNumbers;
    int m_decisionCount = 0;
    int m_movedCount = 0;
    PlanColumn m_sortColumn = PlanColumn::SavedColumn;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace plimsoll::ui
