// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/events_page.h"

#include "core/base/try.h"
#include "core/memtrace/filter/text_pattern.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/docks/range_filter.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QTableView>

#include <utility>

namespace plimsoll::ui {

EventsPage::EventsPage(QWidget* parent) : QWidget{parent}, m_model{new EventModel{this}}
{
    auto* column = makeColumn(this);
    auto* head = new QWidget{this};
    auto* row = makeRow(head, 8, {12, 4, 12, 2});
    m_query = new QLineEdit{head};
    m_query->setPlaceholderText(tr("Action or frame, an expression"));
    m_query->setAccessibleName(tr("Filter of the events"));
    m_query->setToolTip(tr("Lists events whose action, or a frame of whose allocation, written "
                           "file:line:name, matches the regular expression."));
    m_query->setClearButtonEnabled(true);
    m_head = new TextLabel{QString{}, TextRole::Small, Role::Muted, head};
    m_range = new RangeFilter{tr("events that happen there"), head};
    row->addWidget(m_query, 1);
    row->addWidget(m_head, 1);
    row->addWidget(m_range);
    column->addWidget(head);
    m_table = makeTable(m_model, this, tr("Events"));
    QHeaderView& header = *m_table->horizontalHeader();
    header.setSortIndicatorShown(true);
    header.setSortIndicator(EventModel::NumberColumn, Qt::AscendingOrder);
    header.setSectionsClickable(true);
    new ColumnFitter{*m_table, {EventModel::StackColumn, 100}, {}};
    column->addWidget(m_table, 1);
    m_work = new LateWork{*this, [this] { refresh(); }};
    connect(m_query, &QLineEdit::textChanged, this, [this] { m_work->want(); });
    connect(&m_finder, &JobRunnerBase::progressed, this, [this](int perMille) {
        m_head->setText(tr("Listing events… %1").arg(percentText(perMille / 1000.0)));
    });
    connect(m_range, &RangeFilter::rangeChanged, this, [this] { m_work->want(); });
    connect(&header, &QHeaderView::sortIndicatorChanged, this, [this] { m_work->want(); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (m_isTaking || !current.isValid())
                    return;
                m_chosen = m_model->eventAt(current.row());
                Q_EMIT eventChosen(*m_chosen);
            });
}

void EventsPage::setPicture(workspace::ProfilePicturePtr picture)
{
    if (m_picture && m_picture->deviceIndex != picture->deviceIndex)
        m_chosen.reset();
    m_picture = std::move(picture);
    m_range->setPicture(m_picture);
    m_work->want();
}

void EventsPage::refresh()
{
    if (!m_picture)
        return;
    const QHeaderView& header = *m_table->horizontalHeader();
    WantedEvents wanted;
    wanted.picture = m_picture;
    wanted.query = m_query->text().toStdString();
    wanted.range = m_range->range();
    wanted.column = static_cast<EventModel::Column>(header.sortIndicatorSection());
    wanted.isDescending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    m_finder.start(
        [wanted](const base::JobContext& job) -> base::Result<Found> {
            ASSIGN_OR_RETURN(EventRows rows, eventRows(wanted, job));
            return Found{std::move(rows), !memtrace::TextPattern::isExpression(wanted.query)};
        },
        [this, picture = m_picture](const base::Result<Found>& found) {
            if (found && picture == m_picture)
                take(picture, *found);
        });
}

void EventsPage::take(const workspace::ProfilePicturePtr& picture, const Found& found)
{
    const QScopedValueRollback taking{m_isTaking, true};
    m_model->setRows(picture, found.rows);
    const int count = m_model->rowCount();
    const QString rows = tr("%1 of %2 rows")
                             .arg(countText(static_cast<std::uint64_t>(count)),
                                  countText(picture->device().eventCount()));
    m_head->setText(found.isText ? tr("%1, searched as text: not a regular expression").arg(rows)
                                 : rows);
    if (const int row = m_chosen ? m_model->rowOf(*m_chosen) : -1; row >= 0)
        m_table->selectRow(row);
}

} // namespace plimsoll::ui
