// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/live_groups_page.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/tables/cell_roles.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"
#include "ui/treemap/treemap_view.h"

#include <QComboBox>
#include <QMenu>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

/// A term that keeps what a group has; none: there is no such term.
std::optional<memtrace::FilterTerm> termOf(const memtrace::LiveGroup& group, memtrace::LiveBy by)
{
    using memtrace::FilterField;
    if (group.name.starts_with('('))
        return group.name == "(before the recording)"
                   ? std::optional{memtrace::FilterTerm{FilterField::Life, "from before"}}
                   : std::nullopt;
    switch (by) {
    case memtrace::LiveBy::Frame:
    case memtrace::LiveBy::Stack: return memtrace::FilterTerm{FilterField::Frame, group.name};
    case memtrace::LiveBy::Class: return memtrace::FilterTerm{FilterField::Class, group.name};
    case memtrace::LiveBy::Module: return memtrace::FilterTerm{FilterField::Module, group.name};
    case memtrace::LiveBy::Stream: return memtrace::FilterTerm{FilterField::Stream, group.name};
    case memtrace::LiveBy::Pool: break;
    }
    return memtrace::FilterTerm{FilterField::Pool,
                                group.name == "0.0" ? std::string{"default"} : group.name};
}

QString tipOf(const memtrace::LiveGroup& group, base::Bytes all)
{
    const double share = static_cast<double>(group.bytes.count())
                         / static_cast<double>(std::max<std::int64_t>(1, all.count()));
    return fileText(group.name) + u'\n'
           + (group.blocks == 1
                  ? LiveGroupsPage::tr("%1, %2 of all, 1 block")
                        .arg(bytesText(group.bytes), percentText(share))
                  : LiveGroupsPage::tr("%1, %2 of all, %3 blocks")
                        .arg(bytesText(group.bytes), percentText(share), countText(group.blocks)));
}
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
    m_asTable = new QToolButton{head};
    m_asTable->setCheckable(true);
    m_asTable->setIcon(icon(QStringLiteral("sheet")));
    m_asTable->setToolTip(tr("As a table"));
    m_asTable->setAccessibleName(tr("As a table"));
    row->addWidget(m_head, 1);
    row->addWidget(m_by);
    row->addWidget(m_asTable);
    column->addWidget(head);
    m_pages = new QStackedWidget{this};
    m_map = new TreemapView{m_pages};
    m_map->setAccessibleName(tr("Live at cursor, as a map"));
    m_table = makeTable(m_model, m_pages, tr("Live at cursor"));
    new ColumnFitter{*m_table, {LiveGroupModel::NameColumn, 90}, {}};
    m_pages->addWidget(m_map);
    m_pages->addWidget(m_table);
    column->addWidget(m_pages, 1);
    m_work = new LateWork{*this, [this] { refresh(); }};
    connect(m_by, &QComboBox::currentIndexChanged, this, [this] {
        m_work->want();
        Q_EMIT shownChanged();
    });
    connect(m_asTable, &QToolButton::toggled, this, [this](bool isTable) {
        m_pages->setCurrentIndex(isTable ? 1 : 0);
        Q_EMIT shownChanged();
    });
    connectGroups();
}

void LiveGroupsPage::connectGroups()
{
    connect(m_table, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { openSourceOf(index.row()); });
    connect(m_map, &TreemapView::activated, this,
            [this](std::size_t item) { openSourceOf(static_cast<int>(item)); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, m_map,
            [this](const QModelIndex& current) {
                if (current.isValid())
                    m_map->setCurrent(static_cast<std::size_t>(current.row()));
            });
    connect(m_map, &TreemapView::currentChanged, m_table, [this](std::optional<std::size_t> item) {
        if (item)
            m_table->selectRow(static_cast<int>(*item));
        else
            m_table->clearSelection();
    });
    addTableAction(*m_table, tr("Show Only These"), {},
                   [this] { filterBy(m_table->currentIndex().row()); });
    addTableAction(*m_table, tr("Open Source"), {},
                   [this] { openSourceOf(m_table->currentIndex().row()); });
    connect(m_map, &TreemapView::menuWanted, this,
            [this](std::size_t item, const QPoint& at) { showMenu(static_cast<int>(item), at); });
}

void LiveGroupsPage::openSourceOf(int row)
{
    const QString source = m_model->index(row, 0).data(PathRole).toString();
    if (!source.isEmpty())
        Q_EMIT sourceWanted(source);
}

void LiveGroupsPage::filterBy(int row)
{
    if (row < 0)
        return;
    if (const auto term = termOf(m_model->rowAt(row), grouping()))
        Q_EMIT filterWanted(*term);
}

void LiveGroupsPage::showMenu(int row, const QPoint& at)
{
    QMenu menu{this};
    QAction* filter = menu.addAction(tr("&Show Only These"));
    filter->setEnabled(termOf(m_model->rowAt(row), grouping()).has_value());
    connect(filter, &QAction::triggered, this, [this, row] { filterBy(row); });
    QAction* open = menu.addAction(tr("&Open Source"));
    open->setEnabled(!m_model->index(row, 0).data(PathRole).toString().isEmpty());
    connect(open, &QAction::triggered, this, [this, row] { openSourceOf(row); });
    connect(menu.addAction(tr("&Export Picture…")), &QAction::triggered, this,
            [this] { Q_EMIT pictureWanted(*m_map, tr("live")); });
    menu.exec(at);
}

void LiveGroupsPage::setMap(bool isMap)
{
    m_asTable->setChecked(!isMap);
}

bool LiveGroupsPage::isMap() const
{
    return !m_asTable->isChecked();
}

void LiveGroupsPage::setPicture(workspace::ProfilePicturePtr picture)
{
    if (m_picture && m_picture->deviceIndex != picture->deviceIndex)
        m_step.reset();
    m_picture = std::move(picture);
    m_work->want();
}

void LiveGroupsPage::setStep(std::optional<std::size_t> step)
{
    if (!step || step == m_step)
        return;
    m_step = step;
    m_work->want();
}

void LiveGroupsPage::setGrouping(memtrace::LiveBy by)
{
    m_by->setCurrentIndex(static_cast<int>(by));
}

memtrace::LiveBy LiveGroupsPage::grouping() const
{
    return static_cast<memtrace::LiveBy>(m_by->currentIndex());
}

void LiveGroupsPage::refresh()
{
    if (!m_picture || m_picture->timeline->stepCount() == 0)
        return;
    const std::size_t step = m_step.value_or(m_picture->mainStep());
    const memtrace::LiveBy by = grouping();
    m_grouper.start(
        [picture = m_picture, step, by](const base::JobContext&) {
            return base::Result<memtrace::LiveGroups>{
                memtrace::liveGroups(*picture->trace, picture->device(), picture->facts.classes,
                                     step, by, picture->facts.matches, picture->layering.layerOf)};
        },
        [this, step, by, picture = m_picture](base::Result<memtrace::LiveGroups> live) {
            if (!live || picture != m_picture)
                return;
            take(*std::move(live), by, step);
        });
}

void LiveGroupsPage::take(memtrace::LiveGroups live, memtrace::LiveBy by, std::size_t step)
{
    m_head->setText(liveText(*m_picture, step, live.bytes));
    std::vector<TreemapItem> items;
    items.reserve(live.groups.size());
    for (const memtrace::LiveGroup& group : live.groups)
        items.push_back({groupText(group.name, by), group.bytes,
                         m_picture->layering.layers->at(group.mainLayer).ink,
                         tipOf(group, live.bytes)});
    m_map->setItems(std::move(items));
    m_model->setGroups(std::move(live.groups), by, live.bytes);
}

} // namespace plimsoll::ui
