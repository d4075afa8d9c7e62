// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/access_table.h"
#include "ui/models/table_model.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// Presents an AccessTable to views: its values as rows, largest first by default. Sorts itself.
class AccessModel : public RowsModel<std::size_t>
{
    Q_OBJECT

public:
    enum Column {
        ValueColumn,
        BytesColumn,
        FirstForwardColumn,
        LastForwardColumn,
        FirstBackwardColumn,
        LastBackwardColumn,
        SwapFreeColumn,
        ColumnCount
    };

    explicit AccessModel(QObject* parent = nullptr);

    /// Null: no rows.
    void setTable(AccessTablePtr table);
    [[nodiscard]] const AccessTablePtr& table() const { return m_table; }
    /// By op: whether a value that is used there is listed. None: every value is.
    void setOps(std::optional<std::vector<bool>> ops);
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    /// The op named by a cell; for other cells the first op that uses the row's value.
    [[nodiscard]] graph::OpId opAt(const QModelIndex& index) const;
    [[nodiscard]] const solve::ValueAccess& valueAt(int row) const;
    /// Header and rows, separated by tabs.
    [[nodiscard]] QString asText() const;
    /// One row, likewise.
    [[nodiscard]] QString rowText(int row) const;

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    void order();

    [[nodiscard]] bool isListed(std::size_t value) const;

    AccessTablePtr m_table;
    std::optional<std::vector<bool>> m_ops;
    int m_sortColumn = BytesColumn;
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

} // namespace plimsoll::ui
