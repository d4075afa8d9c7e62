// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/measurement.h"
#include "core/evaluate/frontier.h"

#include <QObject>
#include <QTimer>

class QAbstractItemModel;
class QTableView;
class QWidget;

namespace plimsoll::ui {

class PagesDock;
class PointModel;
class StepModel;

/// The plots as tables, for those who don't see them or want the figures: pages of a dock that come
/// and go with a key. A hidden table costs nothing while the plan changes.
class TableTwins : public QObject
{
    Q_OBJECT

public:
    enum class Twin : std::uint8_t { Steps, Points };

    /// `owner` keeps the tables while they are in no dock.
    TableTwins(PagesDock& dock, QWidget* owner);

    /// What the plots show.
    void show(plan::VerifiedPlanPtr plan, plan::FrontierPtr frontier,
              base::Nanoseconds unplannedTime);
    /// What was measured under the shown plan, and what was predicted for it; null: nothing.
    void showMeasured(std::shared_ptr<const compare::MeasuredRun> run,
                      plan::EvaluationPtr predicted);
    /// Brings a table to the front with the focus in it, the timeline's at a step; takes it away if
    /// it is there already.
    void toggle(Twin twin, std::size_t step = 0);
    [[nodiscard]] QTableView& table(Twin twin)
    {
        return twin == Twin::Steps ? *m_steps : *m_points;
    }

Q_SIGNALS:
    void stepChosen(std::size_t step);
    /// The least budget that gives the chosen plan of the frontier.
    void budgetChosen(plimsoll::base::Bytes budget);

private:
    QTableView* makeTable(QAbstractItemModel* model, const QString& name, const QString& sentence);
    void bringUpToDate();
    void orderColumns();

    PagesDock& m_dock;
    QWidget* m_owner;
    StepModel* m_stepModel = nullptr;
    PointModel* m_pointModel = nullptr;
    QTableView* m_steps = nullptr;
    QTableView* m_points = nullptr;
    QTimer m_later; ///< while the line is dragged plans change at every move
    bool m_isFilling = false;
    plan::VerifiedPlanPtr m_plan;
    plan::FrontierPtr m_frontier;
    base::Nanoseconds m_unplannedTime;
    std::shared_ptr<const compare::MeasuredRun> m_run;
    plan::EvaluationPtr m_predicted;
};

} // namespace plimsoll::ui
