// SPDX-License-Identifier: Apache-2.0
#include "ui/models/run_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kColumns{TableColumn{"Run"},
                              TableColumn{"Planner"},
                              TableColumn{"Size"},
                              TableColumn{"Budget", true},
                              TableColumn{"State"},
                              TableColumn{"Peak", true},
                              TableColumn{"Step time", true}};

} // namespace

RunModel::RunModel(QObject* parent) : TableModel{kColumns, parent} {}

void RunModel::setRuns(std::vector<RunRow> runs)
{
    std::reverse(runs.begin(), runs.end());
    if (runs == m_runs)
        return;
    beginResetModel();
    m_runs = std::move(runs);
    endResetModel();
}

int RunModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

QVariant RunModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const RunRow& run = m_runs[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return alignmentAt(index.column());
    if (role == Qt::EditRole && index.column() == NameColumn)
        return run.name;
    if (role == Qt::ToolTipRole)
        return plainTip(data(index, Qt::DisplayRole).toString());
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
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

bool RunModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() != NameColumn
        || role != Qt::EditRole)
        return false;
    RunRow& run = m_runs[static_cast<std::size_t>(index.row())];
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
