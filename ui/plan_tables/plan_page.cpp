// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_page.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/models/pin_globs.h"
#include "ui/models/plan_model.h"
#include "ui/models/plan_names.h"
#include "ui/models/program_texts.h"
#include "ui/plan_tables/bound_page.h"
#include "ui/plan_tables/pin_menu.h"
#include "ui/plan_tables/table_look.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace plimsoll::ui {

namespace {

enum Page { SentencePage, TablePage, BoundTensorsPage };

} // namespace

PlanPage::PlanPage(QWidget* parent)
    : QWidget{parent}
    , m_model{new PlanModel{this}}
    , m_table{new QTableView{this}}
    , m_pages{new QStackedWidget{this}}
    , m_bound{new BoundPage{this}}
    , m_sentence{
          new TextLabel{QStringLiteral("Open a graph to plan."), TextRole::Body, Role::Muted, this}}
{
    setManualPage(*this, QStringLiteral("window.md#plan-and-runs"));
    m_sentence->setAlignment(Qt::AlignCenter);
    m_pages->addWidget(m_sentence);
    m_pages->addWidget(m_table);
    m_pages->addWidget(m_bound);
    auto* layout = new QVBoxLayout{this};
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_runtime = new TextLabel{{}, TextRole::Small, Role::Muted, this};
    m_runtime->setObjectName(QStringLiteral("runtime"));
    m_runtime->setSteady(); // plans of a drag keep other numbers of results
    m_runtime->setMinimumHeight(Theme::current().px(22));
    m_runtime->hide();
    auto* row = new QHBoxLayout;
    row->setContentsMargins(Theme::current().px(8), 0, Theme::current().px(8), 0);
    row->addWidget(m_runtime);
    layout->addLayout(row);
    layout->addWidget(m_pages);

    m_table->setModel(m_model);
    m_table->setAccessibleName(QStringLiteral("Plan"));
    m_table->setAccessibleDescription(
        QStringLiteral("What the plan does not keep, what that saves and costs. A row goes to its "
                       "step on the timeline."));
    applyTableLook(*m_table);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(PlanModel::SavedColumn, Qt::DescendingOrder);
    const Theme& theme = Theme::current();
    QHeaderView* header = m_table->horizontalHeader();
    header->resizeSection(PlanModel::DecisionColumn, theme.px(118));
    header->resizeSection(PlanModel::TensorColumn, theme.px(112));
    header->resizeSection(PlanModel::SavedColumn, theme.px(144));
    header->resizeSection(PlanModel::CostColumn, theme.px(76));
    header->resizeSection(PlanModel::SourceColumn, theme.px(136));
    header->setSectionResizeMode(PlanModel::ModuleColumn, QHeaderView::Stretch);
    connectTable();
}

void PlanPage::connectTable()
{
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid() && !m_isReplacing)
                    Q_EMIT stepChosen(current.data(PlanModel::FirstStepRole).toInt());
            });
    m_table->setMouseTracking(true);
    connect(m_table, &QTableView::entered, this, [this](const QModelIndex& index) {
        if (index.data(PlanModel::LinkRole).toBool())
            m_table->viewport()->setCursor(Qt::PointingHandCursor);
        else
            m_table->viewport()->unsetCursor();
    });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.data(PlanModel::LinkRole).toBool())
            openRowMenu(index,
                        m_table->viewport()->mapToGlobal(m_table->visualRect(index).bottomLeft()));
    });
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& pos) {
        openRowMenu(m_table->indexAt(pos), m_table->viewport()->mapToGlobal(pos));
    });
}

void PlanPage::openRowMenu(const QModelIndex& index, const QPoint& globalPos)
{
    if (!index.isValid())
        return;
    const QString path = index.data(PlanModel::PathRole).toString();
    const auto [first, last] = m_model->stretchAt(index.row());
    auto* menu = new QMenu{this};
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!path.isEmpty())
        menu->addAction(icon(QStringLiteral("source")), tr("Copy path"), this,
                        [path] { QGuiApplication::clipboard()->setText(path); });
    addPinActions(*menu, rowGlobs(*m_model->plan(), first, last),
                  [this](const QString& pin) { Q_EMIT pinWanted(pin); });
    menu->popup(globalPos);
}

/// Plans of a drag are looked at too shortly for reasons.
QString PlanPage::runtimeText(const plan::VerifiedPlan& plan) const
{
    const QString sentence = runtimeSentence(plan.plan());
    const QString why = m_isHeld ? QString{} : noRegionsSentence(plan);
    return why.isEmpty() ? sentence : sentence + u' ' + why;
}

void PlanPage::showPlan(const plan::VerifiedPlanPtr& plan)
{
    replacePlan(plan);
    showRuntime(plan ? runtimeText(*plan) : QString{});
    if (plan && plan->plan().recomputesNothing()) {
        m_sentence->setText(QStringLiteral("Everything fits; nothing to recompute."));
        m_pages->setCurrentIndex(SentencePage);
    } else {
        m_pages->setCurrentIndex(TablePage);
    }
}

/// Under the hand that drags its line keeps its room: the table would jump.
void PlanPage::showRuntime(const QString& sentence)
{
    m_runtime->setText(sentence);
    if (!m_isHeld)
        m_runtime->setVisible(!sentence.isEmpty());
}

void PlanPage::replacePlan(const plan::VerifiedPlanPtr& plan)
{
    const QModelIndex current = m_table->currentIndex();
    const auto stretch = current.isValid() ? std::optional{m_model->stretchAt(current.row())}
                                           : std::optional<PlanModel::Stretch>{};
    m_isReplacing = true;
    const int rows = m_model->rowCount();
    m_model->setPlan(plan);
    // The table would lay itself out while it is painted, and be painted a second time after that.
    if (m_model->rowCount() != rows)
        m_table->doItemsLayout();
    if (stretch) {
        // The same decision stays selected, wherever it stands now.
        const std::optional<int> row = m_model->rowOf(*stretch);
        if (!row)
            m_table->selectionModel()->clear();
        else if (*row != m_table->currentIndex().row())
            m_table->selectionModel()->setCurrentIndex(m_model->index(*row, current.column()),
                                                       QItemSelectionModel::ClearAndSelect
                                                           | QItemSelectionModel::Rows);
    }
    m_isReplacing = false;
}

void PlanPage::setHeld(bool held)
{
    if (held == m_isHeld)
        return;
    m_isHeld = held;
    const bool hasBar = m_table->verticalScrollBar()->isVisible();
    m_table->setVerticalScrollBarPolicy(!held    ? Qt::ScrollBarAsNeeded
                                        : hasBar ? Qt::ScrollBarAlwaysOn
                                                 : Qt::ScrollBarAlwaysOff);
}

void PlanPage::showInfeasible(const graph::ProgramPtr& program, const solve::Outcome& outcome,
                              base::Bytes budget, base::Bytes smallest)
{
    replacePlan(nullptr);
    showRuntime({});
    const QString place = opPlace(*program, outcome.peakBound.op);
    const QString sentence =
        outcome.status == solve::Status::Infeasible
            ? QStringLiteral("These are live together at %1, and no recomputation removes them:")
                  .arg(place)
            : QStringLiteral("None found for %1, the smallest found needs %2. Live together at %3 "
                             "in any plan:")
                  .arg(ui::bytesText(budget), ui::bytesText(smallest, Rounding::Up), place);
    m_bound->show(program, outcome.peakBound, sentence);
    m_pages->setCurrentIndex(BoundTensorsPage);
}

void PlanPage::showNothing(const QString& sentence)
{
    replacePlan(nullptr);
    showRuntime({});
    m_sentence->setText(sentence);
    m_pages->setCurrentIndex(SentencePage);
}

QString PlanPage::summary() const
{
    QStringList parts;
    if (m_model->decisionCount() > 0)
        parts << QStringLiteral("%1 recompute").arg(m_model->decisionCount());
    if (m_model->movedCount() > 0)
        parts << QStringLiteral("%1 moved").arg(m_model->movedCount());
    return parts.join(QStringLiteral(", "));
}

} // namespace plimsoll::ui
