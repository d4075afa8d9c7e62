// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/flame_page.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/docks/range_filter.h"
#include "ui/profile_tables/live_group_model.h"

#include <QMenu>
#include <QScrollArea>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kNanoseconds = 1e9;

/// "12.4 GiB s"; of a recording without times "310 GiB events".
QString weightText(double weight, bool hasTimes)
{
    const double value = hasTimes ? weight / kNanoseconds : weight;
    const QString bytes = bytesText(base::Bytes{static_cast<std::int64_t>(value)});
    return hasTimes ? FlamePage::tr("%1 · s").arg(bytes) : FlamePage::tr("%1 · events").arg(bytes);
}

QString nodeName(const memtrace::FlameNode& node)
{
    return node.parent == memtrace::kNone ? FlamePage::tr("all") : frameGroupText(node.name);
}

} // namespace

FlamePage::FlamePage(QWidget* parent) : QWidget{parent}
{
    auto* column = makeColumn(this);
    auto* head = new QWidget{this};
    m_head = new TextLabel{QString{}, TextRole::Small, Role::Muted, head};
    m_range = new RangeFilter{tr("what lives there, for as long as it does"), this};
    auto* row = makeRow(head, 8, {12, 6, 12, 4});
    row->addWidget(m_head, 1);
    column->addWidget(head);
    column->addWidget(m_range, 0, Qt::AlignRight);
    auto* area = new QScrollArea{this};
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view = new FlameView{
        {nodeName,
         [this](const memtrace::FlameNode& node, double all) -> QString {
             const QString name = node.parent == memtrace::kNone ? tr("all") : fileText(node.name);
             return name + u'\n'
                    + tr("%1, %2 of all, %3 allocations")
                          .arg(weightText(node.weight, m_picture && m_picture->trace->hasTimes()),
                               percentText(node.weight / std::max(1.0, all)),
                               countText(node.blocks));
         }},
        area};
    m_view->setAccessibleName(tr("Bytes times lifetime by function"));
    area->setWidget(m_view);
    column->addWidget(area, 1);
    m_work = new LateWork{*this, [this] { refresh(); }};
    connect(m_range, &RangeFilter::rangeChanged, this, [this] { m_work->want(); });
    connect(m_view, &FlameView::activated, this, &FlamePage::openSourceOf);
    connect(m_view, &FlameView::menuWanted, this, &FlamePage::showMenu);
}

void FlamePage::setPicture(workspace::ProfilePicturePtr picture)
{
    m_picture = std::move(picture);
    m_range->setPicture(m_picture);
    m_work->want();
}

QString FlamePage::text() const
{
    return m_head->text();
}

void FlamePage::refresh()
{
    if (!m_picture || m_picture->timeline->stepCount() == 0)
        return;
    const std::size_t last = m_picture->timeline->stepCount() - 1;
    const StepRange range = m_range->range().value_or(StepRange{0, last});
    m_finder.start(
        [picture = m_picture, range, last](const base::JobContext&) {
            return base::Result<FlamePtr>{std::make_shared<const memtrace::Flame>(memtrace::flameOf(
                *picture->trace, picture->device(), picture->layering, std::min(range.begin, last),
                std::min(range.end, last), picture->facts.matches))};
        },
        [this, picture = m_picture,
         isRange = m_range->range().has_value()](base::Result<FlamePtr> flame) {
            if (!flame || picture != m_picture)
                return;
            const QString weight =
                weightText((*flame)->nodes[0].weight, m_picture->trace->hasTimes());
            m_head->setText(isRange ? tr("Bytes × lifetime in the range: %1").arg(weight)
                                    : tr("Bytes × lifetime: %1").arg(weight));
            m_view->setFlame(*std::move(flame));
        });
}

void FlamePage::openSourceOf(std::uint32_t node)
{
    const QString source = frameSource(m_view->flame()->nodes[node].name);
    if (!source.isEmpty())
        Q_EMIT sourceWanted(source);
}

void FlamePage::showMenu(std::uint32_t node, const QPoint& at)
{
    const memtrace::FlameNode& shown = m_view->flame()->nodes[node];
    const QString source = frameSource(shown.name);
    QMenu menu{this};
    if (!source.isEmpty())
        connect(menu.addAction(tr("&Show Only These")), &QAction::triggered, this,
                [this, name = shown.name] {
                    Q_EMIT filterWanted({memtrace::FilterField::Frame, name});
                });
    QAction* open = menu.addAction(tr("&Open Source"));
    open->setEnabled(!source.isEmpty());
    connect(open, &QAction::triggered, this, [this, source] { Q_EMIT sourceWanted(source); });
    connect(menu.addAction(tr("&Export Picture…")), &QAction::triggered, this,
            [this] { Q_EMIT pictureWanted(*m_view, tr("flame")); });
    menu.exec(at);
}

} // namespace plimsoll::ui
