// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"
#include "core/evaluate/module_figures.h"

#include <QAbstractItemModel>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// The modules that a step calls, as they contain one another, with what a plan makes of each. All
/// figures are of the plan's evaluation, and those of a module contain those inside it. The last
/// row has what no called module does.
class ModuleModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        DecisionColumn,
        PeakColumn,
        SavedColumn,
        RecomputedColumn,
        TimeColumn,
        ClassColumn,
        ColumnCount
    };
    enum DataRole {
        DecisionRole = Qt::UserRole + 300, ///< of plan::ModuleDecision
        ModuleRole,                        ///< index into Program::modules; invalid: outside of any
        GlobRole,                          ///< the glob that pins it; empty: it can't be pinned
        SourceRole,                        ///< "path:line" of its first call; may be empty
        FirstStepRole,                     ///< at which the plan's step first runs an op of it
    };

    using QAbstractItemModel::QAbstractItemModel;

    /// Null: no rows. Another plan of the same program keeps the indexes; `inPlace` keeps the order
    /// of the rows, too, whatever they are sorted by.
    void setPlan(const plan::VerifiedPlanPtr& plan, bool inPlace);
    [[nodiscard]] const plan::VerifiedPlanPtr& plan() const { return m_plan; }
    /// The row of a module, or of the innermost one around it that is called; invalid: there is
    /// none.
    [[nodiscard]] QModelIndex indexOfModule(std::size_t module) const;
    /// By column; the modules' own order by name. Rows are sorted within their parents.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    struct Row
    {
        int place = 0;             ///< among its siblings
        std::vector<int> inside;   ///< nodes, sorted
        std::int32_t source = -1;  ///< index into Program::sources
        graph::OpIndex first = -1; ///< of its ops; -1: it has none
    };

    void reset();
    void sortRows();
    void order(std::vector<int>& siblings);
    [[nodiscard]] bool precedes(int a, int b) const;
    [[nodiscard]] const graph::Program& program() const { return *m_plan->problem().step(); }
    [[nodiscard]] int outside() const { return static_cast<int>(m_tree.nodes.size()); }
    [[nodiscard]] const Row& rowOf(int node) const
    {
        return m_rows[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] const plan::ModuleFigures& figuresOf(int node) const
    {
        return m_figures[static_cast<std::size_t>(node)];
    }
    /// Null: outside of any.
    [[nodiscard]] const graph::Module* moduleOf(int node) const;
    [[nodiscard]] QModelIndex indexOfNode(int node, int column = 0) const;
    [[nodiscard]] QString text(int node, int column) const;
    [[nodiscard]] QString tip(int node, int column) const;
    [[nodiscard]] QVariant firstStepOf(int node) const;

    plan::VerifiedPlanPtr m_plan;
    graph::ModuleTree m_tree;
    std::vector<plan::ModuleFigures> m_figures; ///< by node
    std::vector<Row> m_rows;                    ///< by node
    std::vector<int> m_top;                     ///< nodes, sorted
    base::Bytes m_mostAtPeak{1};
    int m_sortColumn = NameColumn;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

/// "Kept", "Partly recomputed", "Recomputed"; empty for a module without values.
[[nodiscard]] QString decisionText(plan::ModuleDecision decision);

} // namespace plimsoll::ui
