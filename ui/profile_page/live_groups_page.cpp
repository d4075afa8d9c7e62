// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/live_groups_page.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/tables/cell_roles.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QComboBox>
#include <QTableView>

#include <utility>

namespace plimsoll::ui {

namespace {
constexpr int kGroupDelay = 40; ///< ms after the last move of the cursor
} // namespace

LiveGroupsPage::LiveGroupsPage(QWidget* parent) : QWidget{parent}, m_model{new LiveGroupModel{this}}
{
    auto* column = makeColumn(this);
    auto* head = new QWidget{this};
    auto* row = makeRow(head, 8, {12, 4, 12, 2});
    m_head = new TextLabel{QString{}, TextRole::Small, Role::Muted, head};
    m_by = new QComboBox{head};
    m_by->setAccessibleName(tr("Group by"));
    m_by->addItems({tr("by frame"), tr("by stack"), tr("by class"), tr("by module"),
                    tr("by stream"), tr("by pool")}); // in the order of LiveBy
    row->addWidget(m_head, 1);
    row->addWidget(m_by);
    column->addWidget(head);
    m_table = makeTable(m_model, this, tr("Live at cursor"));
    new ColumnFitter{*m_table, {LiveGroupModel::NameColumn, 90}, {}};
    column->addWidget(m_table, 1);
    m_later.setSingleShot(true);
    m_later.setInterval(kGroupDelay);
    connect(&m_later, &QTimer::timeout, this, &LiveGroupsPage::refresh);
    connect(m_by, &QComboBox::currentIndexChanged, this, [this] {
        refreshSoon();
        Q_EMIT groupingChanged();
    });
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        const QString source = m_model->index(index.row(), 0).data(PathRole).toString();
        if (!source.isEmpty())
            Q_EMIT sourceWanted(source);
    });
}

void LiveGroupsPage::setPicture(workspace::ProfilePicturePtr picture)
{
    m_picture = std::move(picture);
    m_step.reset();
    refreshSoon();
}

void LiveGroupsPage::setStep(std::optional<std::size_t> step)
{
    if (!step || step == m_step)
        return;
    m_step = step;
    refreshSoon();
}

void LiveGroupsPage::setGrouping(memtrace::LiveBy by)
{
    m_by->setCurrentIndex(static_cast<int>(by));
}

memtrace::LiveBy LiveGroupsPage::grouping() const
{
    return static_cast<memtrace::LiveBy>(m_by->currentIndex());
}

void LiveGroupsPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!m_isCurrent)
        refresh();
}

void LiveGroupsPage::refreshSoon()
{
    m_isCurrent = false;
    if (isVisible())
        m_later.start();
}

void LiveGroupsPage::refresh()
{
    if (!m_picture || m_picture->timeline->stepCount() == 0)
        return;
    m_isCurrent = true;
    const std::size_t step = m_step.value_or(m_picture->timeline->peakStep());
    m_head->setText(tr("%1 · %2").arg(stepText(*m_picture, step),
                                      bytesText(m_picture->timeline->totalAt(step), Rounding::Up)));
    m_grouper.start(
        [picture = m_picture, step, by = grouping()](const base::JobContext&) {
            return base::Result<memtrace::LiveGroups>{memtrace::liveGroups(
                *picture->trace, picture->device(), picture->classes, step, by)};
        },
        [this](base::Result<memtrace::LiveGroups> live) {
            if (live)
                m_model->setGroups(std::move(live->groups), live->bytes);
        });
}

} // namespace plimsoll::ui
