// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <QWidget>

class QModelIndex;
class QPoint;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace plimsoll::ui {

class BoundPage;
class PlanModel;
class TextLabel;

/// The Plan dock: the table of decisions, or why there is none.
class PlanPage : public QWidget
{
    Q_OBJECT

public:
    explicit PlanPage(QWidget* parent = nullptr);

    /// A plan; one without regions says that everything fits.
    void showPlan(const plan::VerifiedPlanPtr& plan);
    /// No plan within the budget: the tensors that make the bound.
    void showInfeasible(const graph::ProgramPtr& program, const solve::Outcome& outcome,
                        base::Bytes budget, base::Bytes smallest);
    /// Nothing opened or planned yet.
    void showNothing(const QString& sentence);
    [[nodiscard]] PlanModel* model() const { return m_model; }
    /// "75 recompute", for the dock's title bar; empty when nothing is recomputed.
    [[nodiscard]] QString summary() const;

Q_SIGNALS:
    /// A row was chosen: the step of its first forward op.
    void stepChosen(int step);

private:
    /// What can be done with a row's place in the source.
    void openSourceMenu(const QModelIndex& index, const QPoint& globalPos);
    void connectTable();

    PlanModel* m_model = nullptr;
    QSortFilterProxyModel* m_sorted = nullptr;
    QTableView* m_table = nullptr;
    QStackedWidget* m_pages = nullptr;
    BoundPage* m_bound = nullptr;
    TextLabel* m_sentence = nullptr;
};

} // namespace plimsoll::ui
