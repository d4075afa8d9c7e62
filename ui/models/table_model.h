// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QVariant>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace plimsoll::ui {

/// The alignment of a cell or header: numbers at the right, so that their digits line up.
[[nodiscard]] QVariant alignmentOf(bool isNumber);

/// A column of a table, as its head tells it.
struct TableColumn
{
    const char* head;
    bool isNumber = false;
};

/// What a header shows: the column's name, and its alignment.
[[nodiscard]] QVariant headData(std::span<const TableColumn> columns, int section,
                                Qt::Orientation orientation, int role);

/// A table of fixed columns, whose derived models provide the number of rows and the cells.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

protected:
    /// `columns` must outlive the model.
    TableModel(std::span<const TableColumn> columns, QObject* parent);

    [[nodiscard]] virtual int rows() const = 0;
    [[nodiscard]] virtual QString text(int row, int column) const = 0;
    /// A cell's data for roles other than text and alignment.
    [[nodiscard]] virtual QVariant cell(int /*row*/, int /*column*/, int /*role*/) const
    {
        return {};
    }

private:
    std::span<const TableColumn> m_columns;
};

/// A table that owns its rows.
template <typename Row>
class RowsModel : public TableModel
{
public:
    [[nodiscard]] const Row& rowAt(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

protected:
    using TableModel::TableModel;

    void resetRows(std::vector<Row> rows)
    {
        if (rows == m_rows)
            return;
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    /// `sort` reorders the rows; persistent indexes follow. No two rows compare equal.
    template <typename Sort>
    void reorder(Sort sort)
    {
        Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
        const QModelIndexList from = persistentIndexList();
        std::vector<Row> kept;
        for (const QModelIndex& old : from)
            kept.push_back(rowAt(old.row()));
        sort();
        QModelIndexList to;
        for (std::size_t i = 0; i < kept.size(); ++i)
            to << index(static_cast<int>(std::ranges::find(m_rows, kept[i]) - m_rows.begin()),
                        from[static_cast<qsizetype>(i)].column());
        changePersistentIndexList(from, to);
        Q_EMIT layoutChanged({}, VerticalSortHint);
    }
    [[nodiscard]] int rows() const override { return static_cast<int>(m_rows.size()); }

    std::vector<Row> m_rows;
};

} // namespace plimsoll::ui
