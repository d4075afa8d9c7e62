// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/models/live_tree.h"

#include <QSet>
#include <QTimer>
#include <QWidget>

class QStackedWidget;
class QToolButton;
class QTreeView;

namespace plimsoll::ui {

class LiveModel;
class RangeChip;
class TextLabel;

/// The Live at cursor dock: what is live at the step that was hovered last, grouped. Costs nothing
/// while hidden; trees are built in the background.
class LivePage : public QWidget
{
    Q_OBJECT

public:
    explicit LivePage(QWidget* parent = nullptr);

    /// The shown plan. While the line is dragged, the page waits until the drag pauses.
    void setPlan(const plan::VerifiedPlanPtr& plan, bool isDragging);
    /// A step of the shown plan; empty: nothing is hovered, and the last one stays.
    void setStep(std::optional<std::size_t> step);
    /// Lists only what is allocated in the range.
    void setRange(std::optional<StepRange> range);
    void setGrouping(LiveGrouping grouping);
    /// Makes the module's group the current row while groups are modules. Emits nothing.
    void selectModule(std::optional<std::size_t> module);
    [[nodiscard]] LiveModel* model() const { return m_model; }
    /// Number of trees built so far.
    [[nodiscard]] int growths() const { return m_growths; }

Q_SIGNALS:
    /// A row was activated: the first step during which it is live.
    void stepChosen(int step);
    /// A row was chosen: the module of its group. Index into Program::modules.
    void moduleChosen(std::size_t module);
    /// "keep:h.0.mlp", from a row's menu.
    void pinWanted(const QString& pin);
    /// All rows are wanted again.
    void rangeRemoved();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void buildHead();
    void buildTree();
    void openRowMenu(const QPoint& pos);
    void refreshSoon(bool restart);
    void refresh();
    void follow();
    void show(LiveTreePtr tree);
    void showSelected();

    plan::VerifiedPlanPtr m_plan;
    plan::VerifiedPlanPtr m_pointedPlan; ///< the plan of m_step
    std::optional<std::size_t> m_step;
    std::optional<StepRange> m_range;
    LiveGrouping m_grouping = LiveGrouping::Module;
    LiveModel* m_model = nullptr;
    TextLabel* m_head = nullptr;
    RangeChip* m_chip = nullptr;
    QToolButton* m_byModule = nullptr;
    QToolButton* m_byClass = nullptr;
    QTreeView* m_tree = nullptr;
    QStackedWidget* m_pages = nullptr;
    QSet<QString> m_open;                ///< keys of expanded groups
    std::optional<std::size_t> m_module; ///< selected
    bool m_wasFilled = false;
    int m_growths = 0;
    QTimer m_later;
    JobRunner<LiveTreePtr> m_grower;
};

} // namespace plimsoll::ui
