// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "ui/base/job_runner.h"
#include "ui/base/selection.h"
#include "ui/models/access_table.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QStackedWidget;
class QTableView;

namespace plimsoll::ui {

class AccessModel;
class RangeChip;
class TextLabel;

/// The Accesses page: when the step uses each value that is saved for backward, and how far its
/// memory can fall. Costs nothing while hidden, and then stops its work; tables are made in the
/// background.
class AccessPage : public QWidget
{
    Q_OBJECT

public:
    explicit AccessPage(QWidget* parent = nullptr);

    /// The planned step, the device and the budget.
    void setProblem(const plan::Problem& problem);
    /// Lists only values that are used by these ops, which are those of the range.
    void setRange(std::optional<StepRange> range, std::optional<std::vector<bool>> ops);
    [[nodiscard]] AccessModel* model() const { return m_model; }
    /// Number of tables made so far.
    [[nodiscard]] int tables() const { return m_tables; }

Q_SIGNALS:
    /// A cell was chosen: the op that it names.
    void opChosen(plimsoll::graph::OpId op);
    /// All rows are wanted again.
    void rangeRemoved();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildTable();
    void refresh();
    void show(const AccessTablePtr& table);
    [[nodiscard]] static QString summary(const AccessTable& table);

    AccessModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    RangeChip* m_chip = nullptr;
    TextLabel* m_summary = nullptr;
    TextLabel* m_over = nullptr;     ///< where the budget is exceeded
    TextLabel* m_sentence = nullptr; ///< shown in place of a table
    QStackedWidget* m_pages = nullptr;
    std::optional<plan::Problem> m_problem;
    bool m_isUpToDate = false;
    bool m_isReplacing = false; ///< the current cell is being restored, not chosen by the user
    int m_tables = 0;
    QTimer m_later; ///< while the line is dragged, the budget changes with every move
    JobRunner<AccessTablePtr> m_maker;
};

} // namespace plimsoll::ui
