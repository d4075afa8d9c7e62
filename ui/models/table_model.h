// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QVariant>

#include <span>

namespace plimsoll::ui {

/// How a cell or a head stands: numbers on the right, so that their digits lie below each other.
[[nodiscard]] QVariant alignmentOf(bool isNumber);

/// A column of a table, as its head tells it.
struct TableColumn
{
    const char* head;
    bool isNumber = false;
};

/// A table of fixed columns. Heads, and how they and their cells stand, are answered here.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

protected:
    /// `columns` must outlive the model.
    TableModel(std::span<const TableColumn> columns, QObject* parent);

    [[nodiscard]] QVariant alignmentAt(int column) const;

private:
    std::span<const TableColumn> m_columns;
};

} // namespace plimsoll::ui
