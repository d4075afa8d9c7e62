// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/allocation_page.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/docks/range_filter.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/tables/cell_roles.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

/// What is wanted of the rows, for a thread.
struct Wanted
{
    workspace::ProfilePicturePtr picture;
    std::optional<std::size_t> step; ///< none: all
    std::optional<StepRange> range;
    AllocationModel::Column column = AllocationModel::SizeColumn;
    bool isDescending = true;
};

base::Bytes bytesOf(const workspace::ProfilePicture& picture,
                    const std::vector<std::uint32_t>& rows)
{
    base::Bytes bytes;
    for (const std::uint32_t row : rows)
        bytes += base::Bytes{picture.device().allocations().bytes[row]};
    return bytes;
}

AllocationRows rowsFor(const Wanted& wanted)
{
    const timeline::Timeline& timeline = *wanted.picture->timeline;
    const std::vector<timeline::Interval>& intervals = timeline.intervals();
    const memtrace::Matches& matches = wanted.picture->facts.matches;
    std::vector<std::uint32_t> rows;
    if (wanted.step) {
        for (const std::uint32_t index : timeline.aliveAt(*wanted.step))
            if (matches.at(intervals[index].origin))
                rows.push_back(intervals[index].origin);
    } else {
        for (const timeline::Interval& interval : intervals)
            if (matches.at(interval.origin)
                && (!wanted.range
                    || (interval.begin <= wanted.range->end
                        && interval.end >= wanted.range->begin)))
                rows.push_back(interval.origin);
    }
    return sortedRows(*wanted.picture, std::move(rows), wanted.column, wanted.isDescending);
}

} // namespace

AllocationPage::AllocationPage(Rows rows, const QString& name, QWidget* parent)
    : QWidget{parent}, m_rows{rows}, m_model{new AllocationModel{this}}
{
    auto* column = makeColumn(this);
    auto* head = new QWidget{this};
    auto* row = makeRow(head, 8, {12, 4, 12, 2});
    m_head = new TextLabel{QString{}, TextRole::Small, Role::Muted, head};
    m_range = new RangeFilter{tr("allocations that live there"), head};
    row->addWidget(m_head, 1);
    row->addWidget(m_range);
    column->addWidget(head);
    m_table = makeTable(m_model, this, name);
    m_table->horizontalHeader()->setSortIndicatorShown(true);
    m_table->horizontalHeader()->setSortIndicator(AllocationModel::SizeColumn, Qt::DescendingOrder);
    m_table->horizontalHeader()->setSectionsClickable(true);
    new ColumnFitter{
        *m_table, {AllocationModel::NameColumn, 120}, {{AllocationModel::SourceColumn, 60}}};
    // Exported tables tell allocations apart by it; on the screen the Inspector does.
    m_table->setColumnHidden(AllocationModel::AddressColumn, true);
    m_table->horizontalHeader()->setMinimumSectionSize(Theme::current().px(44));
    column->addWidget(m_table, 1);
    m_work = new LateWork{*this, [this] { refresh(); }};
    connect(m_range, &RangeFilter::rangeChanged, this, [this] { m_work->want(); });
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            [this] { m_work->want(); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!m_isTaking && current.isValid())
                    Q_EMIT allocationChosen(m_model->allocationAt(current.row()));
            });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.data(LinkRole).toBool())
            Q_EMIT sourceWanted(index.data(PathRole).toString());
    });
}

void AllocationPage::setPicture(workspace::ProfilePicturePtr picture)
{
    if (m_picture && m_picture->deviceIndex != picture->deviceIndex) {
        m_step.reset();
        m_selected.reset();
    }
    m_picture = std::move(picture);
    m_range->setPicture(m_picture);
    // What all allocations have in common would only take room.
    const std::vector<memtrace::Place>& places = m_picture->device().places();
    const auto isDefault = [](const memtrace::Place& place) { return place.stream == 0; };
    m_table->setColumnHidden(AllocationModel::StreamColumn, std::ranges::all_of(places, isDefault));
    m_table->setColumnHidden(AllocationModel::PoolColumn,
                             std::ranges::none_of(places, &memtrace::Place::isPrivate));
    m_work->want();
}

void AllocationPage::setStep(std::optional<std::size_t> step)
{
    if (m_rows == Rows::All || !step || step == m_step)
        return;
    m_step = step;
    m_work->want();
}

void AllocationPage::select(std::optional<std::uint32_t> allocation)
{
    m_selected = allocation;
    const QScopedValueRollback taking{m_isTaking, true};
    const int row = allocation ? m_model->rowOf(*allocation) : -1;
    if (row < 0)
        m_table->clearSelection();
    else if (m_table->currentIndex().row() != row || !m_table->selectionModel()->hasSelection())
        m_table->selectRow(row);
}

void AllocationPage::refresh()
{
    if (!m_picture || m_picture->timeline->stepCount() == 0)
        return;
    const QHeaderView& header = *m_table->horizontalHeader();
    Wanted wanted;
    wanted.picture = m_picture;
    if (m_rows == Rows::LiveAtStep)
        wanted.step = m_step.value_or(m_picture->mainStep());
    wanted.range = m_range->range();
    wanted.column = static_cast<AllocationModel::Column>(header.sortIndicatorSection());
    wanted.isDescending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    m_sorter.start(
        [wanted](const base::JobContext&) { return base::Result<AllocationRows>{rowsFor(wanted)}; },
        [this, step = wanted.step, picture = m_picture](const base::Result<AllocationRows>& rows) {
            if (rows && picture == m_picture)
                take(*rows, step);
        });
}

void AllocationPage::take(const AllocationRows& rows, std::optional<std::size_t> step)
{
    const QScopedValueRollback taking{m_isTaking, true};
    m_model->setRows(m_picture, rows);
    m_head->setText(step ? liveText(*m_picture, *step, bytesOf(*m_picture, *rows))
                         : tr("%1 of %2 allocations")
                               .arg(countText(rows->size()),
                                    countText(m_picture->device().allocations().size())));
    select(m_selected);
}

} // namespace plimsoll::ui
