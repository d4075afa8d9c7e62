// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"
#include "ui/plan_panel/verdict_box.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace plimsoll::ui {

class AnswerHead;
class Gauge;
class MemoryLines;
class NextSteps;
class OptionForm;
class ParallelForm;
class PlannerTable;
class SizeForm;
class TextLabel;

/// The right dock of the Planner: GPU, budget, reserve, planner, the two result figures, the
/// verdict. Shows what it is given and reports what the user wants; it plans nothing itself.
class BudgetPanel : public QWidget
{
    Q_OBJECT

public:
    explicit BudgetPanel(QWidget* parent = nullptr);

    /// The verdict and its two figures, which lead the panel unless the window is narrow.
    [[nodiscard]] AnswerHead& head() { return *m_head; }
    /// Takes the head back to its place.
    void takeHead();
    /// The graph as read: one that was traced at several sizes gets a field for each axis.
    void setRecorded(const graph::ProgramPtr& recorded);
    void setChoices(const workspace::Choices& choices);
    /// Devices by hand, listed below those of the table.
    void setOwnDevices(const std::vector<plan::Device>& devices);
    void setBudget(base::Bytes budget);
    /// The smallest budget at which one of the known plans runs; empty while that is unknown.
    void setLeastBudget(std::optional<base::Bytes> budget) { m_leastBudget = budget; }
    /// The first plan for the budget is being searched: shows figures of the unplanned step.
    void showUnplanned(const plan::VerifiedPlanPtr& unplanned);
    /// While dragging: the plan for the budget (null: none) without bounds.
    void showPlan(const workspace::Planned& planned, const run::PlanChoice& choice);
    /// After the drag: the answer with its bounds.
    void showAnswer(const workspace::Planned& planned, const solve::Outcome& outcome,
                    const run::PlanChoice& choice);
    /// What is known for the previous settings, until the plans for the current ones are available.
    void showOutdated(const workspace::Planned& planned, const run::PlanChoice& choice,
                      bool isPlanning);
    /// Below the chosen planner: all planners side by side.
    [[nodiscard]] PlannerTable& planners() { return *m_planners; }
    /// Below the answer; choosing one commits its budget.
    [[nodiscard]] NextSteps& nextSteps() { return *m_next; }
    /// Among the details: the memory of the same plan once its blocks have addresses.
    [[nodiscard]] MemoryLines& memoryLines() { return *m_memory; }

    /// Folds or opens the details of the answer, which are folded at first.
    void showDetails(bool shown);
    /// Opens the list of GPUs.
    void showDevices();
    [[nodiscard]] bool areDetailsShown() const { return !m_details->isHidden(); }

Q_SIGNALS:
    void choicesChanged(const plimsoll::workspace::Choices& choices);
    void budgetCommitted(plimsoll::base::Bytes budget);
    /// The present GPU was chosen from the list.
    void deviceConfirmed();
    /// The last entry of the list: a device that isn't in it.
    void otherDeviceWanted();

private:
    void buildDetails(QWidget& content);
    [[nodiscard]] QLabel* makeDetail();
    void buildForm(QWidget& content);
    void fillDevices();
    void chooseDevice(int row);
    void choosePlanner(const QString& id);
    void buildOptions(QWidget& content);
    void judgePlan(const run::PlanChoice& choice);
    /// Adds the smallest budget at which a plan runs, if it is known.
    [[nodiscard]] QString withLeastBudget(const QString& sentence) const;
    void judgeNothing(Verdict verdict, const QString& sentence);
    void showNoPlan(const workspace::Planned& planned);
    void readBudget();
    void readReserve();
    void showReserve();

    workspace::Choices m_choices;
    graph::ProgramPtr m_recorded;
    std::vector<plan::Device> m_ownDevices;
    base::Bytes m_budget;
    std::optional<base::Bytes> m_leastBudget;
    base::Bytes m_unplannedPeak; ///< 0: not known yet
    QComboBox* m_device = nullptr;
    QLineEdit* m_budgetEdit = nullptr;
    QLineEdit* m_reserveEdit = nullptr;
    TextLabel* m_reserveText = nullptr;
    SizeForm* m_sizes = nullptr;
    ParallelForm* m_parallel = nullptr;
    QComboBox* m_planner = nullptr;
    OptionForm* m_options = nullptr;
    Gauge* m_gauge = nullptr;
    TextLabel* m_gaugeText = nullptr;
    QLabel* m_budgetError = nullptr;
    QLabel* m_reserveError = nullptr;
    PlannerTable* m_planners = nullptr;
    AnswerHead* m_head = nullptr;
    QToolButton* m_detailsButton = nullptr;
    QWidget* m_details = nullptr;
    QLabel* m_runText = nullptr;
    QLabel* m_boundsText = nullptr;
    MemoryLines* m_memory = nullptr;
    NextSteps* m_next = nullptr;
    QLabel* m_notModelled = nullptr;
};

} // namespace plimsoll::ui
