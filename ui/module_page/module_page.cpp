// SPDX-License-Identifier: Apache-2.0
#include "ui/module_page/module_page.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/menus/mnemonics.h"
#include "ui/module_page/module_model.h"
#include "ui/plan_tables/pin_menu.h"
#include "ui/tables/table_look.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

// Before scaling.
constexpr int kSwatch = 10;
constexpr int kName = 240;
constexpr int kLeastName = 120;
constexpr int kBytes = 84;
constexpr int kBar = 80;
constexpr int kClass = 110; ///< at least

/// A square in the colour of a decision; one of two colours for what is partly recomputed.
void paintDecision(QPainter& painter, const QRectF& square, plan::ModuleDecision decision)
{
    const Theme& theme = Theme::current();
    if (decision == plan::ModuleDecision::None)
        return;
    const QColor keep = theme.color(Role::DecisionKeep);
    const QColor recompute = theme.color(Role::DecisionRecompute);
    painter.fillRect(square, decision == plan::ModuleDecision::Recompute ? recompute : keep);
    if (decision != plan::ModuleDecision::Part)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(recompute);
    painter.drawPolygon(QPolygonF{square.bottomLeft(), square.bottomRight(), square.topRight()});
}

/// Paints the swatch of its decision before a module's name.
class ModuleDelegate : public TreeDelegate
{
public:
    using TreeDelegate::TreeDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        if (index.column() != ModuleModel::NameColumn) {
            TreeDelegate::paint(painter, option, index);
            return;
        }
        const int room = Theme::current().px(kSwatch) + Theme::current().px(6);
        QStyleOptionViewItem text = option;
        text.rect.setLeft(text.rect.left() + room);
        TreeDelegate::paint(painter, text, index);
        if ((option.state & QStyle::State_Selected) != 0) {
            QStyleOptionViewItem ground = option;
            ground.index = index;
            ground.rect.setWidth(room);
            option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter,
                                                option.widget);
        }
        const double side = Theme::current().px(kSwatch);
        painter->save();
        paintDecision(
            *painter,
            {static_cast<double>(option.rect.left() + Theme::current().px(6)),
             option.rect.center().y() - side / 2 + 0.5, side, side},
            static_cast<plan::ModuleDecision>(index.data(ModuleModel::DecisionRole).toInt()));
        painter->restore();
    }
};

} // namespace

ModulePage::ModulePage(QWidget* parent)
    : QWidget{parent}, m_model{new ModuleModel{this}}, m_tree{new QTreeView{this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    makeColumn(this)->addWidget(m_tree);
    buildTree();
    addKeys();
}

void ModulePage::buildTree()
{
    m_tree->setModel(m_model);
    applyTreeLook(*m_tree, new ModuleDelegate{m_tree});
    m_tree->setAccessibleName(tr("Modules"));
    m_tree->setAccessibleDescription(
        tr("What the plan makes of each module: memory, time, and whether it is recomputed. "
           "Selecting a row shows the module in the other views."));
    m_tree->header()->setStretchLastSection(true);
    m_tree->header()->setSectionsMovable(false);
    m_tree->header()->setSortIndicator(ModuleModel::NameColumn, Qt::AscendingOrder);
    m_tree->setSortingEnabled(true);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ModulePage::choose);
    connect(m_tree, &QTreeView::activated, this, &ModulePage::choose);
    // Clicking the current row chooses it again, after something else was selected elsewhere.
    connect(m_tree, &QTreeView::clicked, this, &ModulePage::choose);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_tree, &QWidget::customContextMenuRequested, this, &ModulePage::openRowMenu);
}

/// Names get what the figures leave, then the bar of the bytes does, then the classes.
void ModulePage::fitColumns()
{
    const Theme& theme = Theme::current();
    int left = width() - m_tree->verticalScrollBar()->sizeHint().width();
    QHeaderView& header = *m_tree->header();
    for (const auto& [column, size] :
         {std::pair{ModuleModel::DecisionColumn, 126}, std::pair{ModuleModel::SavedColumn, 78},
          std::pair{ModuleModel::RecomputedColumn, 88}, std::pair{ModuleModel::TimeColumn, 68}}) {
        header.resizeSection(column, theme.px(size));
        left -= theme.px(size);
    }
    left -= theme.px(kBytes);
    const bool hasClass = left >= theme.px(kLeastName + kClass);
    header.setSectionHidden(ModuleModel::ClassColumn, !hasClass);
    left -= hasClass ? theme.px(kClass) : 0;
    const int name = std::clamp(left, theme.px(kLeastName), theme.px(kName));
    header.resizeSection(ModuleModel::NameColumn, name);
    header.resizeSection(ModuleModel::PeakColumn,
                         theme.px(kBytes) + std::clamp(left - name, 0, theme.px(kBar)));
}

void ModulePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitColumns();
}

void ModulePage::addKeys()
{
    const auto add = [this](const QKeySequence& key, const QString& kind) {
        auto* action = new QAction{m_tree};
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, [this, kind] { pinCurrent(kind); });
        m_tree->addAction(action);
    };
    add(Qt::Key_K, QStringLiteral("keep:"));
    add(Qt::Key_R, QStringLiteral("recompute:"));
}

void ModulePage::pinCurrent(const QString& kind)
{
    if (const QString glob = m_tree->currentIndex().data(ModuleModel::GlobRole).toString();
        !glob.isEmpty())
        Q_EMIT pinWanted(kind + glob);
}

void ModulePage::choose(const QModelIndex& index)
{
    if (m_isSelecting || !index.isValid())
        return;
    const QVariant module = index.data(ModuleModel::ModuleRole);
    if (!module.isValid())
        return;
    m_module = module.toULongLong();
    Q_EMIT moduleChosen(*m_module);
    if (const QVariant step = index.data(ModuleModel::FirstStepRole); step.isValid())
        Q_EMIT stepChosen(step.toInt());
}

void ModulePage::openRowMenu(const QPoint& pos)
{
    const QModelIndex index = m_tree->indexAt(pos);
    const QString glob = index.data(ModuleModel::GlobRole).toString();
    if (glob.isEmpty() || !m_plan)
        return;
    auto* menu = new QMenu{this};
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (const QString source = index.data(ModuleModel::SourceRole).toString(); !source.isEmpty())
        menu->addAction(icon(QStringLiteral("source")), tr("Open in editor"), this,
                        [this, source] { Q_EMIT sourceWanted(source); });
    menu->addAction(tr("Copy path"), this, [glob] { QGuiApplication::clipboard()->setText(glob); });
    addPinActions(*menu, *m_plan->problem().step(), {glob},
                  [this](const QString& pin) { Q_EMIT pinWanted(pin); });
    addMnemonics(*menu);
    menu->popup(m_tree->viewport()->mapToGlobal(pos));
}

void ModulePage::setPlan(const plan::VerifiedPlanPtr& plan, bool isDragging)
{
    m_plan = plan;
    m_isDragging = isDragging;
    if (isVisible())
        refresh();
}

void ModulePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
    showSelected();
}

void ModulePage::refresh()
{
    const bool isOther = !m_model->plan() || !m_plan
                         || m_model->plan()->problem().step() != m_plan->problem().step();
    m_isSelecting = true;
    m_model->setPlan(m_plan, m_isDragging);
    m_isSelecting = false;
    if (isOther) {
        m_tree->expandToDepth(0);
        showSelected();
    }
}

void ModulePage::selectModule(std::optional<std::size_t> module)
{
    if (m_module == module)
        return;
    m_module = module;
    if (isVisible())
        showSelected();
}

void ModulePage::showSelected()
{
    m_isSelecting = true;
    m_tree->setCurrentIndex(m_module ? m_model->indexOfModule(*m_module) : QModelIndex{});
    m_isSelecting = false;
}

} // namespace plimsoll::ui
