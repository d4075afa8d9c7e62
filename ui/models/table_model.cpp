// SPDX-License-Identifier: Apache-2.0
#include "ui/models/table_model.h"

namespace plimsoll::ui {

QVariant alignmentOf(bool isNumber)
{
    return QVariant::fromValue(
        Qt::Alignment{(isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter});
}

TableModel::TableModel(std::span<const TableColumn> columns, QObject* parent)
    : QAbstractTableModel{parent}, m_columns{columns}
{
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::DisplayRole)
        return QString::fromLatin1(m_columns[static_cast<std::size_t>(section)].head);
    return role == Qt::TextAlignmentRole ? alignmentAt(section) : QVariant{};
}

QVariant TableModel::alignmentAt(int column) const
{
    return alignmentOf(m_columns[static_cast<std::size_t>(column)].isNumber);
}

} // namespace plimsoll::ui
