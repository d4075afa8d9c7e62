// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"
#include "ui/base/selection.h"

#include <QWidget>

#include <functional>
#include <optional>

class QModelIndex;
class QPoint;
class QStackedWidget;

namespace plimsoll::ui {

class BoundPage;
class PlanModel;
class PlanView;
class RangeChip;
class TextLabel;

/// The Plan dock: the tree of decisions, or why there is none.
class PlanPage : public QWidget
{
    Q_OBJECT

public:
    explicit PlanPage(QWidget* parent = nullptr);

    /// A plan; one without regions shows that everything fits.
    void showPlan(const plan::VerifiedPlanPtr& plan);
    /// No plan within the budget: shows the tensors that set the bound. `leastBudget`: the smallest
    /// at which one of the known plans runs; empty: unknown.
    void showInfeasible(const graph::ProgramPtr& program, const solve::Outcome& outcome,
                        base::Bytes budget, std::optional<base::Bytes> leastBudget);
    /// Nothing opened or planned yet.
    void showNothing(const QString& sentence);
    /// Lists only decisions with an op that runs in the range.
    void setRange(std::optional<StepRange> range);
    /// During a drag nothing changes its width: the scroll bar neither appears nor disappears.
    void setHeld(bool held);
    [[nodiscard]] PlanModel* model() const { return m_model; }
    /// As PlanView; what a session keeps.
    [[nodiscard]] QStringList optionalColumns() const;
    void setOptionalColumns(const QStringList& ids);
    /// Makes the first decision about a module the current row, if the plan has one. Emits nothing.
    void selectModule(std::optional<std::size_t> module);
    /// "75 recompute", for the dock's title bar; empty when nothing is recomputed.
    [[nodiscard]] QString summary() const;

Q_SIGNALS:
    /// A row was chosen: the step of its first forward op.
    void stepChosen(int step);
    /// The module in which that row begins; index into Program::modules.
    void moduleChosen(std::size_t module);
    /// "keep:h.0.mlp", from a row's menu.
    void pinWanted(const QString& pin);
    /// All rows are wanted again.
    void rangeRemoved();
    /// A link to a line of a file was followed.
    void sourceWanted(const QString& source);
    /// The user showed or hid a column.
    void columnsChosen();

private:
    /// The commands for a row: pin what it stands for, copy its place in the source, columns.
    void openRowMenu(const QModelIndex& index, const QPoint& globalPos);
    void connectView();
    void addKeys();
    void showTable();
    void choose(const QModelIndex& index);
    /// "keep:" or "recompute:" for what the current row stands for; a menu if that isn't one glob.
    void pinCurrent(const QString& kind);
    [[nodiscard]] QString runtimeText(const plan::VerifiedPlan& plan) const;
    void showRuntime(const QString& sentence);
    /// The current row changes its place, without the user choosing it.
    void keepCurrentRow(const std::function<void()>& change);
    void replacePlan(const plan::VerifiedPlanPtr& plan);

    PlanModel* m_model = nullptr;
    PlanView* m_view = nullptr;
    QStackedWidget* m_pages = nullptr;
    BoundPage* m_bound = nullptr;
    TextLabel* m_runtime = nullptr; ///< what executes the plan; hidden without one
    RangeChip* m_chip = nullptr;
    TextLabel* m_sentence = nullptr;
    bool m_isHeld = false;
    bool m_isReplacing = false; ///< the current row changes its place, without the user choosing it
};

} // namespace plimsoll::ui
