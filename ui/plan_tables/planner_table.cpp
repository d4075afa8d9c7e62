// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/planner_table.h"

#include "ui/base/drawn_text.h"
#include "ui/base/icons.h"
#include "ui/base/kept_picture.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/plot/planner_mark.h"
#include "ui/tables/table_look.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr int kRowHeight = 21;
constexpr int kHeadHeight = 22;
constexpr int kLeastRows = 6;
constexpr int kPad = 4;        ///< of a cell, left and right
constexpr int kMarkRoom = 14;  ///< of a planner's mark, left of its name
constexpr int kUsedRoom = 14;  ///< of the glyph right of it
constexpr int kStateRoom = 44; ///< less holds no state

using plan::PlannerState;
using workspace::PlannerSummary;
using workspace::SummaryAt;

QString statusText(solve::Status status)
{
    switch (status) {
    case solve::Status::Optimal: return QStringLiteral("optimal");
    case solve::Status::Feasible: return QStringLiteral("feasible");
    default: return QStringLiteral("none");
    }
}

struct StateTexts
{
    QString whole;
    QString brief;
};

/// In whole milliseconds below a second: the column is narrow, and elision would hide the unit.
QString briefTime(base::Nanoseconds took)
{
    constexpr std::int64_t kMillisecond = 1'000'000;
    const std::int64_t milliseconds = (took.count() + kMillisecond / 2) / kMillisecond;
    return milliseconds < 1000
               ? QStringLiteral("%1\u00a0ms").arg(std::max<std::int64_t>(milliseconds, 1))
               : ui::timeText(took);
}

/// One or two words and, once the planner has finished, its search time. The brief form is a single
/// word, or the time alone for planners with plans, which the numbers beside it already show.
StateTexts stateTexts(const PlannerSummary& standing, const SummaryAt& at,
                      std::optional<base::Bytes> budget)
{
    const plan::PlannerProgress& report = standing.report;
    const auto alone = [](const QString& words) { return StateTexts{words, words}; };
    const auto after = [&report](const QString& words, const QString& brief) {
        return report.took.count() > 0
                   ? StateTexts{words + QStringLiteral(", ") + ui::timeText(report.took), brief}
                   : StateTexts{words, brief};
    };
    switch (report.state) {
    case PlannerState::NotRun: return alone(QStringLiteral("not run"));
    case PlannerState::Unfit:
        return StateTexts{QStringLiteral("makes no such plans"), QStringLiteral("n/a")};
    case PlannerState::Waiting: return alone(QStringLiteral("waiting"));
    case PlannerState::Running: return alone(QStringLiteral("%1\u00a0%").arg(report.perMille / 10));
    case PlannerState::Stopped: return after(QStringLiteral("stopped"), QStringLiteral("stopped"));
    case PlannerState::Refused: return alone(QStringLiteral("refused"));
    case PlannerState::Over: break;
    }
    if (!budget)
        return after(QStringLiteral("done"), QStringLiteral("done"));
    if (!at.best && !report.found.empty() && report.found.front().peak <= *budget)
        return after(QStringLiteral("larger only"), QStringLiteral("larger"));
    const QString status = statusText(at.status);
    const bool isTold = at.status == solve::Status::Feasible && report.took.count() > 0;
    return after(status, isTold ? briefTime(report.took) : status);
}

/// Describes the planner and says why it has no plans, if so.
QString tipText(const PlannerSummary& standing)
{
    QStringList sentences;
    if (const auto planner = solve::findPlanner(standing.report.planner))
        sentences << QString::fromStdString((*planner)->descriptor().sentence);
    if (!standing.report.reason.empty())
        sentences << fileText(standing.report.reason);
    if (standing.report.took.count() > 0)
        sentences << QStringLiteral("Search time: %1.").arg(ui::timeText(standing.report.took));
    if (!standing.report.found.empty())
        sentences << QStringLiteral("Peak and slow-down are those of its fastest plan with at most "
                                    "the peak of the plan that is shown, or within the budget, "
                                    "whether it runs or not.");
    if (!standing.isChosen)
        sentences << QStringLiteral("Click to plan with this planner.");
    return sentences.join(u'\n');
}

/// A row for each planner, without the values that depend on the budget.
std::vector<PlannerRow> plannerRows(const std::vector<PlannerSummary>& standings)
{
    std::vector<PlannerRow> rows;
    rows.reserve(standings.size());
    for (const PlannerSummary& standing : standings) {
        PlannerRow row;
        row.planner = QString::fromStdString(standing.report.planner);
        if (standing.report.state == PlannerState::Running)
            row.perMille = standing.report.perMille;
        row.isChosen = standing.isChosen;
        row.tip = tipText(standing);
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Fills in the remaining values; cheap enough to call for every frame of a drag.
void fillIn(std::vector<PlannerRow>& rows, const std::vector<PlannerSummary>& standings,
            const PlannersAt& asked)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PlannerSummary& standing = standings[i];
        const bool isTaken = standing.isChosen || standing.report.planner == asked.maker;
        const SummaryAt at = asked.budget
                                 ? workspace::summaryAt(standing, asked.mostPeak, asked.bounds,
                                                        isTaken ? asked.taken : std::nullopt)
                                 : SummaryAt{};
        StateTexts state = stateTexts(standing, at, asked.budget);
        rows[i].state = std::move(state.whole);
        rows[i].shortState = std::move(state.brief);
        rows[i].isUsed = standing.report.planner == asked.maker;
        rows[i].peak.reset();
        rows[i].slower.reset();
        if (at.best)
            rows[i].peak = at.best->peak;
        if (at.best && standing.unplanned.count() > 0)
            rows[i].slower = slowDown(at.best->stepTime, standing.unplanned);
    }
}

/// Paints a cell's background, mark, texts and bar. Each text lies on a single colour, so that its
/// picture can be cached.
class PlannerDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        const bool isChosen = index.data(PlannerModel::ChosenRole).toBool();
        const QColor ground = theme.color(isChosen ? Role::AccentBg : Role::Panel);
        painter->save();
        painter->fillRect(option.rect, ground);
        const int pad = theme.px(kPad);
        const QRect cell = option.rect.adjusted(pad, 0, -pad, 0);
        const QString text = index.data().toString();
        switch (index.column()) {
        case PlannerModel::NameColumn: paintName(*painter, cell, index, ground); break;
        case PlannerModel::StateColumn: paintState(*painter, cell, index, ground); break;
        default:
            setText(*painter, isChosen ? TextRole::Strong : TextRole::Body, Role::Text);
            drawNumberOn(ground, *painter,
                         {static_cast<double>(cell.right() + 1), baseline(cell, painter->font())},
                         text, Qt::AlignRight);
        }
        painter->restore();
    }

private:
    static double baseline(const QRect& cell, const QFont& font)
    {
        return QRectF{cell}.center().y() + QFontMetricsF{font}.capHeight() / 2;
    }

    static void paintName(QPainter& painter, QRect cell, const QModelIndex& index,
                          const QColor& ground)
    {
        const Theme& theme = Theme::current();
        const QString planner = index.data(PlannerModel::PlannerRole).toString();
        const PlannerLook& look = plannerLookOf(planner.toStdString());
        const double radius = kPlannerMarkRadius + 2;
        drawKept(painter, {cell.left() + radius, QRectF{cell}.center().y()},
                 QStringLiteral("planner mark ") + plannerLookName(look),
                 {-radius, -radius, 2 * radius, 2 * radius}, [&look](QPainter& onto) {
                     onto.setRenderHint(QPainter::Antialiasing);
                     paintPlannerMark(onto, look, {});
                 });
        cell.setLeft(cell.left() + theme.px(kMarkRoom));
        const bool isChosen = index.data(PlannerModel::ChosenRole).toBool();
        setText(painter, isChosen ? TextRole::Strong : TextRole::Body, Role::Text);
        const bool isUsed = index.data(PlannerModel::UsedRole).toBool();
        const QString shown = fittedName(painter.font(), planner, Qt::ElideRight,
                                         cell.width() - (isUsed ? theme.px(kUsedRoom) : 0));
        drawNameOn(ground, painter,
                   {static_cast<double>(cell.left()), baseline(cell, painter.font())}, shown);
        if (!isUsed)
            return;
        const double side = theme.px(12);
        drawKept(painter,
                 {cell.left() + std::ceil(nameWidth(painter.font(), shown)) + theme.px(2),
                  std::round(QRectF{cell}.center().y() - side / 2)},
                 QStringLiteral("planner is used"), {0, 0, side, side}, [side](QPainter& onto) {
                     drawIcon(onto, {0, 0, side, side}, QStringLiteral("check"),
                              Theme::current().color(Role::Ok));
                 });
    }

    static void paintState(QPainter& painter, const QRect& cell, const QModelIndex& index,
                           const QColor& ground)
    {
        const Theme& theme = Theme::current();
        setText(painter, TextRole::Small, Role::Muted);
        QString shown = index.data().toString();
        if (numberWidth(painter.font(), shown) > cell.width())
            shown = fittedName(painter.font(), index.data(PlannerModel::ShortStateRole).toString(),
                               Qt::ElideRight, cell.width());
        drawNumberOn(ground, painter,
                     {static_cast<double>(cell.left()), baseline(cell, painter.font())}, shown,
                     Qt::AlignLeft);
        const QVariant perMille = index.data(PlannerModel::PerMilleRole);
        const double left =
            cell.left() + numberWidth(painter.font(), QStringLiteral("100\u00a0%")) + theme.px(6);
        const double room = cell.right() + 1 - left;
        if (!perMille.isValid() || room < theme.px(12))
            return;
        const double height = theme.px(4);
        const QRectF track{left, QRectF{cell}.center().y() - height / 2, room, height};
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(Role::Border));
        painter.drawRoundedRect(track, 2, 2);
        painter.setBrush(theme.color(Role::Accent));
        painter.drawRoundedRect(
            QRectF{track.topLeft(), QSizeF{room * perMille.toInt() / 1000.0, height}}, 2, 2);
    }
};

} // namespace

PlannerTable::PlannerTable(QWidget* parent)
    : QTableView{parent}
    , m_model{new PlannerModel{this}}
    , m_note{new TextLabel{{}, TextRole::Small, Role::Muted, this}}
{
    m_note->setSteady();
    setModel(m_model);
    applyTableLook(*this);
    setItemDelegate(new PlannerDelegate{this});
    setSelectionMode(QAbstractItemView::NoSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalHeader(new TableHeader{this, kPad});
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setMinimumSectionSize(1);
    setAccessibleName(tr("Planners"));
    setAccessibleDescription(tr("The plan that each planner has for the budget. Press Enter on a "
                                "row to plan with that planner."));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    connect(this, &QTableView::clicked, this, &PlannerTable::choose);
    // "Peak, MiB" is wider than "Peak, GiB".
    connect(m_model, &QAbstractItemModel::headerDataChanged, this, &PlannerTable::sizeColumns);
    connect(&Theme::current(), &Theme::changed, this, &PlannerTable::layOut);
    layOut();
}

void PlannerTable::setSummaries(std::vector<workspace::PlannerSummary> standings)
{
    const bool isOther = standings.size() != m_standings.size();
    m_standings = std::move(standings);
    m_rows = plannerRows(m_standings);
    base::Bytes largest;
    for (const workspace::PlannerSummary& standing : m_standings)
        if (!standing.report.found.empty())
            largest = std::max(largest, standing.report.found.back().peak);
    if (largest.count() > 0)
        m_model->setUnitOf(largest);
    refresh();
    if (isOther)
        layOut();
}

void PlannerTable::showAt(PlannersAt asked)
{
    m_asked = std::move(asked);
    // Without figures, which would change with each frame of a drag.
    m_note->setText(!m_asked.budget ? QString{}
                    : m_asked.mostPeak < *m_asked.budget
                        ? tr("Up to the peak shown, whether they run or not")
                        : tr("Within the budget, whether they run or not"));
    refresh();
}

void PlannerTable::refresh()
{
    fillIn(m_rows, m_standings, m_asked);
    m_model->setRows(m_rows);
}

void PlannerTable::choose(const QModelIndex& index)
{
    if (index.isValid() && !index.data(PlannerModel::ChosenRole).toBool())
        Q_EMIT plannerChosen(index.data(PlannerModel::PlannerRole).toString());
}

void PlannerTable::layOut()
{
    const Theme& theme = Theme::current();
    verticalHeader()->setDefaultSectionSize(theme.rowHeight(kRowHeight));
    horizontalHeader()->setFixedHeight(theme.rowHeight(kHeadHeight));
    const int all =
        horizontalHeader()->height() + m_model->rowCount() * verticalHeader()->defaultSectionSize();
    setMaximumHeight(std::max(all, minimumSizeHint().height()));
    sizeColumns();
    updateGeometry();
    viewport()->update();
}

QSize PlannerTable::minimumSizeHint() const
{
    const int rows = std::min(kLeastRows, std::max(1, m_model->rowCount()));
    return {Theme::current().px(120),
            horizontalHeader()->height() + rows * verticalHeader()->defaultSectionSize()};
}

/// Numbers are never elided: the state gives way first, then the names.
void PlannerTable::sizeColumns()
{
    const Theme& theme = Theme::current();
    const QFont& font = theme.font(TextRole::Strong);
    const int pads = 2 * theme.px(kPad);
    const QString head = m_model->headerData(PlannerModel::PeakColumn, Qt::Horizontal).toString();
    const auto wide = [pads](double text) { return static_cast<int>(std::ceil(text)) + pads; };
    const int peak = wide(std::max(numberWidth(font, QStringLiteral("1023.9")),
                                   nameWidth(theme.font(TextRole::Small), head)));
    const int slower = wide(numberWidth(font, QStringLiteral("+999.9\u00a0%")));
    double longest = 0;
    for (int row = 0; row < m_model->rowCount(); ++row)
        longest = std::max(longest, nameWidth(font, m_model->rowAt(row).planner));
    const int name = wide(longest) + theme.px(kMarkRoom);
    const int room = std::max(1, viewport()->width() - peak - slower);
    const bool hasState = room - name >= theme.px(kStateRoom);
    setColumnHidden(PlannerModel::StateColumn, !hasState);
    setColumnWidth(PlannerModel::NameColumn, hasState ? name : room);
    if (hasState)
        setColumnWidth(PlannerModel::StateColumn, room - name);
    setColumnWidth(PlannerModel::PeakColumn, peak);
    setColumnWidth(PlannerModel::SlowerColumn, slower);
}

void PlannerTable::resizeEvent(QResizeEvent* event)
{
    sizeColumns();
    QTableView::resizeEvent(event);
}

void PlannerTable::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (!m_hasRing || !currentIndex().isValid())
        return;
    QRect row = visualRect(currentIndex());
    row.setLeft(0);
    row.setRight(viewport()->width() - 1);
    QPainter painter{viewport()};
    painter.setPen(QPen{Theme::current().color(Role::Accent), 2});
    painter.drawRect(row.adjusted(1, 1, 0, 0));
}

void PlannerTable::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    viewport()->update(); // the focus ring surrounds the whole row
}

void PlannerTable::focusInEvent(QFocusEvent* event)
{
    followFocus(*event, m_hasRing);
    for (int row = 0; row < m_model->rowCount() && !currentIndex().isValid(); ++row)
        if (m_model->rowAt(row).isChosen)
            setCurrentIndex(m_model->index(row, PlannerModel::NameColumn));
    QTableView::focusInEvent(event);
    viewport()->update();
}

void PlannerTable::focusOutEvent(QFocusEvent* event)
{
    followFocus(*event, m_hasRing);
    QTableView::focusOutEvent(event);
    viewport()->update();
}

void PlannerTable::keyPressEvent(QKeyEvent* event)
{
    m_hasRing = true; // show the ring from now on, for keyboard users
    const bool isChoice = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter
                          || event->key() == Qt::Key_Space;
    if (isChoice)
        choose(currentIndex());
    else
        QTableView::keyPressEvent(event);
}

} // namespace plimsoll::ui
