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
class TextLabel;

/// The Live at cursor dock: what is alive at the step that was pointed at last, grouped. Costs
/// nothing while hidden; trees grow in the background.
class LivePage : public QWidget
{
    Q_OBJECT

public:
    explicit LivePage(QWidget* parent = nullptr);

    /// The shown plan. While the line is dragged the page waits for the hand to rest.
    void setPlan(const plan::VerifiedPlanPtr& plan, bool isDragging);
    /// A step of the shown plan; empty: nothing is pointed at, and the last one stays.
    void setStep(std::optional<std::size_t> step);
    void setGrouping(LiveGrouping grouping);
    [[nodiscard]] LiveModel* model() const { return m_model; }
    /// Trees grown so far.
    [[nodiscard]] int growths() const { return m_growths; }

Q_SIGNALS:
    /// A row was activated: the first step during which it is alive.
    void stepChosen(int step);
    /// "keep:h.0.mlp", from a row's menu.
    void pinWanted(const QString& pin);

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

    plan::VerifiedPlanPtr m_plan;
    plan::VerifiedPlanPtr m_pointedPlan; ///< whose step m_step is
    std::optional<std::size_t> m_step;
    LiveGrouping m_grouping = LiveGrouping::Module;
    LiveModel* m_model = nullptr;
    TextLabel* m_head = nullptr;
    QToolButton* m_byModule = nullptr;
    QToolButton* m_byClass = nullptr;
    QTreeView* m_tree = nullptr;
    QStackedWidget* m_pages = nullptr;
    QSet<QString> m_open; ///< keys of the groups that stand open
    bool m_wasFilled = false;
    int m_growths = 0;
    QTimer m_later;
    JobRunner<LiveTreePtr> m_grower;
};

} // namespace plimsoll::ui
