// SPDX-License-Identifier: Apache-2.0
#include "ui/models/table_model.h"

namespace plimsoll::ui {

QVariant alignmentOf(bool isNumber)
{
    return QVariant::fromValue(
        Qt::Alignment{(isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter});
}

QVariant headData(std::span<const TableColumn> columns, int section, Qt::Orientation orientation,
                  int role)
{
    if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(columns.size()))
        return {};
    const TableColumn& column = columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return QString::fromUtf8(column.head);
    return role == Qt::TextAlignmentRole ? alignmentOf(column.isNumber) : QVariant{};
}

TableModel::TableModel(std::span<const TableColumn> columns, QObject* parent)
    : QAbstractTableModel{parent}, m_columns{columns}
{
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : rows();
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headData(m_columns.first(static_cast<std::size_t>(columnCount())), section, orientation,
                    role);
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    if (role == Qt::DisplayRole)
        return text(index.row(), index.column());
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(m_columns[static_cast<std::size_t>(index.column())].isNumber);
    return cell(index.row(), index.column(), role);
}

} // namespace plimsoll::ui
