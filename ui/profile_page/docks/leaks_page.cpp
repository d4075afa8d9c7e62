// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/leaks_page.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/docks/range_filter.h"
#include "ui/tables/cell_roles.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QLabel>
#include <QTableView>

#include <utility>

namespace plimsoll::ui {

namespace {

QString sentenceFor(const memtrace::Leaks& leaks)
{
    const bool isPart = leaks.steps < leaks.allSteps;
    if (leaks.steps < memtrace::kFewestLeakSteps && leaks.allSteps >= memtrace::kFewestLeakSteps)
        return LeaksPage::
            tr("Leaks show over three steps or more, and %1 end in the range: choose a longer one.")
                .arg(countText(leaks.steps));
    if (leaks.steps < memtrace::kFewestLeakSteps)
        return LeaksPage::tr(
            "Leaks show over three steps or more, and this recording has none that can be told "
            "apart. Record several, each within torch.profiler.record_function(\"step 1\").");
    const QString steps = (isPart ? LeaksPage::tr("%1 steps that end in the range, from %2")
                                  : LeaksPage::tr("%1 steps, from %2"))
                              .arg(countText(leaks.steps), fileText(leaks.stepsFrom));
    base::Bytes growth;
    std::size_t growing = 0;
    for (const memtrace::LeakGroup& group : leaks.groups) {
        growth += group.perStep;
        growing += group.grows ? 1 : 0;
    }
    if (growing == 0)
        return LeaksPage::tr("Nothing grows from step to step (%1).").arg(steps);
    return (growing == 1 ? LeaksPage::tr("%1 place holds %2 more after each step (%3).")
                         : LeaksPage::tr("%1 places hold %2 more after each step (%3)."))
        .arg(countText(growing), bytesText(growth), steps);
}

} // namespace

LeaksPage::LeaksPage(QWidget* parent) : QWidget{parent}, m_model{new LeakModel{this}}
{
    auto* column = makeColumn(this);
    m_range = new RangeFilter{tr("steps that end there"), this};
    column->addWidget(m_range, 0, Qt::AlignRight);
    m_text = new QLabel{this};
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setMargin(Theme::current().px(8));
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_text);
    m_table = makeTable(m_model, this, tr("Leaks"));
    new ColumnFitter{*m_table, {LeakModel::NameColumn, 120}, {}};
    column->addWidget(m_table, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid() && m_model->rowAt(current.row()).newest != memtrace::kNone)
                    Q_EMIT allocationChosen(m_model->rowAt(current.row()).newest);
            });
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        const QString source = m_model->index(index.row(), 0).data(PathRole).toString();
        if (!source.isEmpty())
            Q_EMIT sourceWanted(source);
    });
    m_work = new LateWork{*this, [this] { refresh(); }};
    connect(m_range, &RangeFilter::rangeChanged, this, [this] { m_work->want(); });
}

void LeaksPage::setPicture(workspace::ProfilePicturePtr picture)
{
    m_picture = std::move(picture);
    m_range->setPicture(m_picture);
    m_work->want();
}

QString LeaksPage::text() const
{
    return m_text->text();
}

void LeaksPage::refresh()
{
    if (!m_picture)
        return;
    std::optional<timeline::StepSpan> within;
    if (const std::optional<StepRange>& range = m_range->range())
        within = {range->begin, range->end + 1};
    m_finder.start(
        [picture = m_picture, within](const base::JobContext&) {
            return base::Result<memtrace::Leaks>{memtrace::findLeaks(
                *picture->trace, picture->device(), picture->facts.matches, within)};
        },
        [this, picture = m_picture](base::Result<memtrace::Leaks> leaks) {
            if (leaks && picture == m_picture)
                take(*std::move(leaks));
        });
}

void LeaksPage::take(memtrace::Leaks leaks)
{
    m_text->setText(sentenceFor(leaks));
    m_table->setVisible(!leaks.groups.empty());
    m_model->setGroups(std::move(leaks.groups));
}

} // namespace plimsoll::ui
