// SPDX-License-Identifier: Apache-2.0
#include "ui/models/run_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kRunColumns{TableColumn{"Run"},
                                 TableColumn{"Planner"},
                                 TableColumn{"Size"},
                                 TableColumn{"Budget", true},
                                 TableColumn{"State"},
                                 TableColumn{"Peak", true},
                                 TableColumn{"Step time", true}};

} // namespace

RunModel::RunModel(QObject* parent) : RowsModel{kRunColumns, parent} {}

void RunModel::setRuns(std::vector<RunRow> runs)
{
    std::ranges::reverse(runs);
    resetRows(std::move(runs));
}

QString RunModel::text(int row, int column) const
{
    const RunRow& run = rowAt(row);
    switch (column) {
    case NameColumn: return run.name.isEmpty() ? QStringLiteral("Run %1").arg(run.id) : run.name;
    case PlannerColumn: return run.planner;
    case SizeColumn: return run.size;
    case BudgetColumn: return ui::bytesText(run.budget);
    case StatusColumn: return run.status;
    case PeakColumn: return run.peak ? ui::bytesText(*run.peak, Rounding::Up) : unknownText();
    case TimeColumn: return run.stepTime ? ui::timeText(*run.stepTime) : unknownText();
    default: return {};
    }
}

QVariant RunModel::cell(int row, int column, int role) const
{
    if (role == Qt::EditRole && column == NameColumn)
        return rowAt(row).name;
    return role == Qt::ToolTipRole ? QVariant{plainTip(text(row, column))} : QVariant{};
}

bool RunModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() != NameColumn
        || role != Qt::EditRole)
        return false;
    RunRow& run = m_rows[static_cast<std::size_t>(index.row())];
    const QString name = value.toString().simplified();
    if (name == run.name)
        return true;
    run.name = name;
    Q_EMIT dataChanged(index, index);
    Q_EMIT renamed(run.id, name);
    return true;
}

Qt::ItemFlags RunModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == NameColumn ? flags | Qt::ItemIsEditable : flags;
}

} // namespace plimsoll::ui
