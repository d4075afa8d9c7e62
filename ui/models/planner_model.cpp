// SPDX-License-Identifier: Apache-2.0
#include "ui/models/planner_model.h"

#include "core/base/format.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kPlannerColumns{TableColumn{"Planner"}, TableColumn{"State"},
                                     TableColumn{"Peak", true}, TableColumn{"Slower", true}};

} // namespace

PlannerModel::PlannerModel(QObject* parent) : RowsModel{kPlannerColumns, parent} {}

void PlannerModel::setRows(std::vector<PlannerRow> rows)
{
    if (rows.size() != m_rows.size()) {
        resetRows(std::move(rows));
        return;
    }
    for (int row = 0; row < rowCount(); ++row)
        replaceRow(row, std::move(rows[static_cast<std::size_t>(row)]));
}

void PlannerModel::setUnitOf(base::Bytes size)
{
    const auto unitOf = [](base::Bytes bytes) { return base::bytesFigure(bytes).unit; };
    if (unitOf(std::exchange(m_unitOf, size)) == unitOf(size) || rowCount() == 0)
        return;
    Q_EMIT headerDataChanged(Qt::Horizontal, PeakColumn, PeakColumn);
    Q_EMIT dataChanged(index(0, PeakColumn), index(rowCount() - 1, PeakColumn));
}

QString PlannerModel::text(int at, int column) const
{
    const PlannerRow& row = rowAt(at);
    switch (column) {
    case NameColumn: return row.planner;
    case StateColumn: return row.state;
    case PeakColumn:
        return row.peak ? QString::fromStdString(
                   base::bytesFigureLike(*row.peak, m_unitOf, Rounding::Up).figure)
                        : unknownText();
    case SlowerColumn: return row.slower ? percentDifferenceText(*row.slower) : unknownText();
    default: return {};
    }
}

QVariant PlannerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (section == PeakColumn && orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return tr("Peak, %1").arg(QString::fromStdString(base::bytesFigure(m_unitOf).unit));
    return TableModel::headerData(section, orientation, role);
}

void PlannerModel::replaceRow(int row, PlannerRow now)
{
    PlannerRow& kept = m_rows[static_cast<std::size_t>(row)];
    if (now == kept)
        return;
    const PlannerRow before = std::exchange(kept, std::move(now));
    if (before.isChosen != kept.isChosen || before.planner != kept.planner) {
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
        return;
    }
    const std::array changed{before.isUsed != kept.isUsed,
                             before.state != kept.state || before.shortState != kept.shortState
                                 || before.perMille != kept.perMille,
                             before.peak != kept.peak, before.slower != kept.slower};
    for (int column = 0; column < static_cast<int>(ColumnCount); ++column)
        if (changed.at(static_cast<std::size_t>(column)))
            Q_EMIT dataChanged(index(row, column), index(row, column));
}

QVariant PlannerModel::cell(int at, int column, int role) const
{
    const PlannerRow& row = rowAt(at);
    switch (role) {
    case Qt::ToolTipRole: return plainTip(row.tip);
    case Qt::AccessibleTextRole: // what colour and glyph show
        if (column != NameColumn)
            return text(at, column);
        return QString{row.planner + (row.isChosen ? tr(", chosen") : QString{})
                       + (row.isUsed ? tr(", its plan is shown") : QString{})};
    case PlannerRole: return row.planner;
    case PerMilleRole: return row.perMille ? QVariant{*row.perMille} : QVariant{};
    case ChosenRole: return row.isChosen;
    case UsedRole: return row.isUsed;
    case ShortStateRole: return row.shortState;
    default: return {};
    }
}

} // namespace plimsoll::ui
