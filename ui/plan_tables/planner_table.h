// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planner_summaries.h"
#include "ui/models/planner_model.h"

#include <QTableView>

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

class TextLabel;

/// How the states of planners are shown.
struct PlannersAt
{
    std::optional<base::Bytes> budget; ///< none: no numbers
    base::Bytes mostPeak;              ///< what plans are compared at: the budget, or less
    workspace::ProvenBounds bounds;
    std::string maker; ///< id of the planner whose plan is shown; empty: none
    std::optional<plan::ProgressPoint> taken = {}; ///< the plan that is shown, if there is a maker
};

/// The planners side by side: state, peak and slow-down of the plan that each has for the budget. A
/// click, Enter or the space bar on a row chooses that planner. At least six rows high, or as high
/// as all rows if there is room; rows are never added or removed.
class PlannerTable : public QTableView
{
    Q_OBJECT

public:
    explicit PlannerTable(QWidget* parent = nullptr);

    /// The current states.
    void setSummaries(std::vector<workspace::PlannerSummary> standings);
    /// Cheap enough for a frame of a drag: only cells that changed are painted.
    void showAt(PlannersAt asked);
    /// Says what the planners are compared by. Placed by the owner of the table.
    [[nodiscard]] TextLabel* note() { return m_note; }
    [[nodiscard]] PlannerModel* model() const { return m_model; }
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void plannerChosen(const QString& planner);

protected:
    void paintEvent(QPaintEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void choose(const QModelIndex& index);
    void refresh();
    void layOut();
    void sizeColumns();

    PlannerModel* m_model = nullptr;
    TextLabel* m_note = nullptr;
    std::vector<workspace::PlannerSummary> m_standings;
    std::vector<PlannerRow> m_rows;
    PlannersAt m_asked;
    bool m_hasRing = false; ///< the focus came by keyboard
};

} // namespace plimsoll::ui
