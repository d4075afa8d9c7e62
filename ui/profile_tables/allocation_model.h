// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/models/table_model.h"

#include <memory>
#include <vector>

namespace plimsoll::ui {

/// Indices of allocations, in the order of their rows.
using AllocationRows = std::shared_ptr<const std::vector<std::uint32_t>>;

/// A list of a device's allocations; cells are made when they are shown.
class AllocationModel : public TableModel
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        SizeColumn,
        LifeColumn,
        ClassColumn,
        StreamColumn,
        PoolColumn,
        SourceColumn,
        AddressColumn
    };

    explicit AllocationModel(QObject* parent = nullptr);

    /// `largest`: the bytes of a full bar.
    void setRows(workspace::ProfilePicturePtr picture, AllocationRows rows);
    [[nodiscard]] std::uint32_t allocationAt(int row) const
    {
        return (*m_rows)[static_cast<std::size_t>(row)];
    }
    /// -1: it isn't listed.
    [[nodiscard]] int rowOf(std::uint32_t allocation) const;

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    workspace::ProfilePicturePtr m_picture;
    AllocationRows m_rows;
    std::int64_t m_largest = 1;
};

/// The rows of all allocations by a column, off the GUI thread.
[[nodiscard]] AllocationRows sortedRows(const workspace::ProfilePicture& picture,
                                        std::vector<std::uint32_t> rows,
                                        AllocationModel::Column column, bool isDescending);

} // namespace plimsoll::ui
