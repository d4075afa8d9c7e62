// SPDX-License-Identifier: Apache-2.0
#include "ui/models/access_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kAccessColumns{TableColumn{"Value"},
                                    TableColumn{"Bytes", true},
                                    TableColumn{"Forward", true},
                                    TableColumn{"to", true},
                                    TableColumn{"Backward", true},
                                    TableColumn{"to", true},
                                    TableColumn{"Room to swap", true}};

graph::OpIndex momentIn(const solve::Accesses& accesses, int column)
{
    switch (column) {
    case AccessModel::LastForwardColumn: return accesses.lastForward;
    case AccessModel::FirstBackwardColumn: return accesses.firstBackward;
    case AccessModel::LastBackwardColumn: return accesses.lastBackward;
    default: return accesses.firstForward;
    }
}

bool isAccess(int column)
{
    return column >= AccessModel::FirstForwardColumn && column <= AccessModel::LastBackwardColumn;
}

} // namespace

AccessModel::AccessModel(QObject* parent) : RowsModel{kAccessColumns, parent} {}

void AccessModel::setTable(AccessTablePtr table)
{
    if (table == m_table)
        return;
    beginResetModel();
    m_table = std::move(table);
    order();
    endResetModel();
}

void AccessModel::setOps(std::optional<std::vector<bool>> ops)
{
    if (ops == m_ops)
        return;
    beginResetModel();
    m_ops = std::move(ops);
    order();
    endResetModel();
}

bool AccessModel::isListed(std::size_t value) const
{
    if (!m_ops)
        return true;
    const solve::Accesses& uses = m_table->profile.values[value].accesses;
    return std::ranges::any_of(
        std::array{uses.firstForward, uses.lastForward, uses.firstBackward, uses.lastBackward},
        [this](graph::OpIndex op) {
            const auto at = static_cast<std::size_t>(op);
            return at < m_ops->size() && (*m_ops)[at];
        });
}

/// Equal rows keep the order in which they were created.
void AccessModel::order()
{
    m_rows.resize(m_table ? m_table->names.size() : 0);
    std::iota(m_rows.begin(), m_rows.end(), std::size_t{0});
    std::erase_if(m_rows, [this](std::size_t value) { return !isListed(value); });
    const auto less = [this](std::size_t a, std::size_t b) {
        const solve::ValueAccess& one = m_table->profile.values[a];
        const solve::ValueAccess& other = m_table->profile.values[b];
        switch (m_sortColumn) {
        case ValueColumn: return m_table->names[a].compare(m_table->names[b]) < 0;
        case BytesColumn: return one.bytes < other.bytes;
        case SwapFreeColumn: return one.swapFree < other.swapFree;
        default:
            return momentIn(one.accesses, m_sortColumn) < momentIn(other.accesses, m_sortColumn);
        }
    };
    std::ranges::stable_sort(m_rows, [&](std::size_t a, std::size_t b) {
        return m_sortOrder == Qt::AscendingOrder ? less(a, b) : less(b, a);
    });
}

void AccessModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= static_cast<int>(ColumnCount))
        return;
    m_sortColumn = column;
    m_sortOrder = order;
    reorder([this] { this->order(); });
}

const solve::ValueAccess& AccessModel::valueAt(int row) const
{
    return m_table->profile.values[rowAt(row)];
}

graph::OpId AccessModel::opAt(const QModelIndex& index) const
{
    return graph::opAt(momentIn(valueAt(index.row()).accesses, index.column()));
}

QString AccessModel::text(int row, int column) const
{
    const solve::ValueAccess& value = valueAt(row);
    switch (column) {
    case ValueColumn: return m_table->names[rowAt(row)];
    case BytesColumn: return ui::bytesText(value.bytes);
    case SwapFreeColumn: return swapFreeText(value.swapFree);
    default: return QString::number(momentIn(value.accesses, column));
    }
}

QVariant AccessModel::cell(int row, int column, int role) const
{
    if (role == Qt::ToolTipRole && column == BytesColumn)
        return exactBytesText(valueAt(row).bytes);
    if (role == Qt::ToolTipRole)
        return plainTip(isAccess(column) ? opPlace(*m_table->program, opAt(index(row, column)))
                                         : text(row, column));
    if (role == Qt::AccessibleTextRole && isAccess(column))
        return tr("op %1").arg(text(row, column));
    return {};
}

QString AccessModel::rowText(int row) const
{
    QStringList cells;
    for (int column = 0; column < ColumnCount; ++column)
        cells << text(row, column);
    return cells.join(u'\t').replace(QChar::Nbsp, QChar::Space);
}

QString AccessModel::asText() const
{
    QStringList heads;
    for (const TableColumn& column : kAccessColumns)
        heads << tr(column.head);
    QStringList lines{heads.join(u'\t')};
    for (int row = 0; row < rowCount(); ++row)
        lines << rowText(row);
    return lines.join(u'\n') + u'\n';
}

} // namespace plimsoll::ui
