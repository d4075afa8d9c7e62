// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/live_page.h"

#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/menus/mnemonics.h"
#include "ui/models/live_model.h"
#include "ui/plan_tables/pin_menu.h"
#include "ui/step_filter/range_chip.h"
#include "ui/tables/table_look.h"
#include "ui/timeline/patterns.h"

#include <QButtonGroup>
#include <QHeaderView>
#include <QMenu>
#include <QPixmap>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr int kDelay = 60; ///< ms between two trees

enum LivePageIndex { LiveEmptyPage, LiveTreePage };

/// Rows 22 px high, with the swatch of a class before its name.
class LiveDelegate : public TreeDelegate
{
public:
    using TreeDelegate::TreeDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        TreeDelegate::initStyleOption(option, index);
        const QVariant category = index.data(LiveModel::CategoryRole);
        if (index.column() != LiveModel::ClassColumn || !category.isValid())
            return;
        const Theme& theme = Theme::current();
        const QSize size{theme.px(12), theme.px(10)};
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = size;
        option->icon =
            QIcon{QPixmap::fromImage(layerSwatch(theme, static_cast<std::size_t>(category.toInt()),
                                                 size, option->widget->devicePixelRatioF()))};
    }
};

} // namespace

LivePage::LivePage(QWidget* parent)
    : QWidget{parent}, m_model{new LiveModel{this}}, m_pages{new QStackedWidget{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    auto* column = makeColumn(this);
    auto* empty = new TextLabel{tr("Point at the timeline."), TextRole::Body, Role::Muted, m_pages};
    empty->setAlignment(Qt::AlignCenter);
    m_pages->addWidget(empty);
    auto* filled = new QWidget{m_pages};
    makeColumn(filled);
    m_pages->addWidget(filled);
    column->addWidget(m_pages);
    buildHead();
    buildTree();
    m_later.setSingleShot(true);
    m_later.setInterval(kDelay);
    connect(&m_later, &QTimer::timeout, this, &LivePage::refresh);
}

void LivePage::buildHead()
{
    auto* row = makeRow(nullptr, 2, {12, 3, 8, 3});
    m_head = new TextLabel{{}, TextRole::Body, Role::Muted, this};
    m_head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->addWidget(m_head, 1);
    m_chip = new RangeChip{tr("values that are allocated in these steps"), this};
    row->addWidget(m_chip);
    connect(m_chip, &QToolButton::clicked, this, &LivePage::rangeRemoved);
    auto* group = new QButtonGroup{this};
    const auto add = [&](const QString& text, const QString& tip, LiveGrouping grouping) {
        auto* button = new QToolButton{this};
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setCheckable(true);
        button->setChecked(grouping == m_grouping);
        button->setProperty("segment", true);
        group->addButton(button);
        row->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, grouping] { setGrouping(grouping); });
        return button;
    };
    m_byModule = add(tr("Module"), tr("Group by module"), LiveGrouping::Module);
    m_byClass = add(tr("Class"), tr("Group by class"), LiveGrouping::Class);
    qobject_cast<QVBoxLayout*>(m_pages->widget(LiveTreePage)->layout())->addLayout(row);
}

void LivePage::buildTree()
{
    m_tree = new QTreeView{this};
    m_tree->setModel(m_model);
    applyTreeLook(*m_tree, new LiveDelegate{m_tree});
    m_tree->setAccessibleName(tr("Live at cursor"));
    setColumnWidths(*m_tree->header(), LiveModel::NameColumn,
                    {{LiveModel::ClassColumn, 122},
                     {LiveModel::BytesColumn, 84},
                     {LiveModel::ShareColumn, 64},
                     {LiveModel::MadeColumn, 150},
                     {LiveModel::SinceColumn, 72}});
    connect(m_tree, &QTreeView::expanded, this, [this](const QModelIndex& index) {
        m_open.insert(index.data(LiveModel::KeyRole).toString());
    });
    connect(m_tree, &QTreeView::collapsed, this, [this](const QModelIndex& index) {
        m_open.remove(index.data(LiveModel::KeyRole).toString());
    });
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const QVariant since = index.data(LiveModel::SinceRole); since.isValid())
            Q_EMIT stepChosen(since.toInt());
    });
    connect(m_tree, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (const QVariant module = index.data(LiveModel::ModuleRole); module.isValid()) {
            m_module = module.toULongLong();
            Q_EMIT moduleChosen(*m_module);
        }
    });
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_tree, &QWidget::customContextMenuRequested, this, &LivePage::openRowMenu);
    m_pages->widget(LiveTreePage)->layout()->addWidget(m_tree);
}

void LivePage::openRowMenu(const QPoint& pos)
{
    const QString glob = m_tree->indexAt(pos).data(LiveModel::GlobRole).toString();
    if (glob.isEmpty() || !m_plan)
        return;
    auto* menu = new QMenu{this};
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addPinActions(*menu, *m_plan->problem().step(), {glob},
                  [this](const QString& pin) { Q_EMIT pinWanted(pin); });
    if (menu->isEmpty()) { // such as for what backward computes
        delete menu;
        return;
    }
    addMnemonics(*menu);
    menu->popup(m_tree->viewport()->mapToGlobal(pos));
}

void LivePage::setPlan(const plan::VerifiedPlanPtr& plan, bool isDragging)
{
    if (m_plan && plan && m_plan->evaluationPtr() == plan->evaluationPtr())
        return;
    m_plan = plan;
    refreshSoon(isDragging);
}

void LivePage::setStep(std::optional<std::size_t> step)
{
    if (!step || !m_plan || (m_step == step && m_pointedPlan == m_plan))
        return;
    m_step = step;
    m_pointedPlan = m_plan;
    refreshSoon(false);
}

void LivePage::setRange(std::optional<StepRange> range)
{
    if (m_range == range)
        return;
    m_range = range;
    m_chip->setRange(range);
    refreshSoon(false);
}

void LivePage::setGrouping(LiveGrouping grouping)
{
    if (m_grouping == grouping)
        return;
    m_grouping = grouping;
    (grouping == LiveGrouping::Module ? m_byModule : m_byClass)->setChecked(true);
    m_wasFilled = false;
    refreshSoon(false);
}

void LivePage::selectModule(std::optional<std::size_t> module)
{
    if (m_module == module)
        return;
    m_module = module;
    showSelected();
}

/// Opens nothing: the group is current, or the closed one around it.
void LivePage::showSelected()
{
    QModelIndex index =
        m_module ? m_model->indexOfModule(graph::ModuleId{*m_module}) : QModelIndex{};
    for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
        if (!m_tree->isExpanded(up))
            index = up;
    m_tree->setCurrentIndex(index);
}

void LivePage::refreshSoon(bool restart)
{
    if (!isVisible())
        return;
    if (restart || !m_later.isActive())
        m_later.start();
}

void LivePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

/// Another plan has other steps: the page stays at the same op.
void LivePage::follow()
{
    if (m_pointedPlan == m_plan)
        return;
    if (m_pointedPlan->problem().step() != m_plan->problem().step())
        m_step.reset();
    else if (m_pointedPlan->evaluationPtr() != m_plan->evaluationPtr()) {
        const plan::Step& pointed = m_pointedPlan->evaluation().schedule->steps[*m_step];
        m_step = m_plan->evaluation().schedule->stepOf(pointed.op, pointed.region >= 0);
    }
    m_pointedPlan = m_plan;
}

void LivePage::refresh()
{
    m_later.stop();
    if (!m_plan || !m_step || !isVisible())
        return;
    follow();
    if (!m_step || *m_step >= m_plan->evaluation().timeline->stepCount())
        return;
    m_grower.start(
        [plan = m_plan, step = *m_step, grouping = m_grouping,
         range = m_range](const base::JobContext&) {
            return base::Result<LiveTreePtr>{liveTree(*plan, step, grouping, range)};
        },
        [this](base::Result<LiveTreePtr> tree) {
            if (tree)
                show(*std::move(tree));
        });
}

void LivePage::show(LiveTreePtr tree)
{
    ++m_growths;
    const int scrolled = m_tree->verticalScrollBar()->value();
    m_model->setTree(tree);
    const timeline::Timeline& timeline = *tree->evaluation->timeline;
    const auto blocks =
        static_cast<std::uint64_t>(std::ranges::count(tree->nodes, false, &LiveNode::isGroup));
    const QString time = timeline.duration().count() > 0 ? ui::timeText(timeline.timeAt(tree->step))
                                                         : tr("op %1").arg(tree->step);
    m_head->setText(
        tr("%1 · %2 · %3 in %4 tensors")
            .arg(time, tree->place, ui::bytesText(tree->total, Rounding::Up), countText(blocks)));
    if (!m_wasFilled && !tree->top.empty()) {
        // The largest group is expanded at first.
        const LiveNode& largest = tree->nodes[static_cast<std::size_t>(tree->top.front())];
        if (largest.isGroup)
            m_open.insert(largest.key);
        m_wasFilled = true;
    }
    for (std::size_t node = 0; node < tree->nodes.size(); ++node)
        if (tree->nodes[node].isGroup && m_open.contains(tree->nodes[node].key))
            m_tree->expand(m_model->indexOfNode(static_cast<int>(node)));
    m_tree->doItemsLayout();
    if (m_module)
        showSelected();
    m_tree->verticalScrollBar()->setValue(scrolled);
    m_pages->setCurrentIndex(LiveTreePage);
}

} // namespace plimsoll::ui
