// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planner_summaries.h"
#include "ui/models/planner_model.h"

#include <QTableView>

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::ui {

/// What the standings of planners are looked at for.
struct PlannersAt
{
    std::optional<base::Bytes> budget; ///< none: no numbers
    workspace::ProvenBounds bounds;
    std::string maker; ///< id of the planner whose plan is shown; empty: nobody's
};

/// The planners side by side: state, peak and slow-down of the plan that each has for the budget.
/// A click, Enter or the space bar on a row asks for that planner. As high as six rows at least, as
/// all of them where there is room; rows never come or go.
class PlannerTable : public QTableView
{
    Q_OBJECT

public:
    explicit PlannerTable(QWidget* parent = nullptr);

    /// Where they stand by now.
    void setSummaries(std::vector<workspace::PlannerSummary> standings);
    /// What a frame of a drag may call: only cells that changed are painted.
    void showAt(PlannersAt asked);
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
    std::vector<workspace::PlannerSummary> m_standings;
    std::vector<PlannerRow> m_rows;
    PlannersAt m_asked;
    bool m_hasRing = false; ///< the focus came by key
};

} // namespace plimsoll::ui
