// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/models/table_model.h"

#include <memory>
#include <vector>

namespace plimsoll::ui {

/// Events, in the order of their rows; null: all of a device, in the order of the recording.
using EventRows = std::shared_ptr<const std::vector<memtrace::EventIndex>>;

/// A list of a device's events; cells are made when they are shown.
class EventModel : public TableModel
{
    Q_OBJECT

public:
    enum Column { NumberColumn, TimeColumn, ActionColumn, SizeColumn, AddressColumn, StackColumn };

    explicit EventModel(QObject* parent = nullptr);
    void setRows(workspace::ProfilePicturePtr picture, EventRows rows);
    [[nodiscard]] memtrace::EventIndex eventAt(int row) const
    {
        return m_rows ? (*m_rows)[static_cast<std::size_t>(row)]
                      : static_cast<memtrace::EventIndex>(row);
    }
    /// -1: it isn't listed.
    [[nodiscard]] int rowOf(memtrace::EventIndex event) const;

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    workspace::ProfilePicturePtr m_picture;
    EventRows m_rows;
};

} // namespace plimsoll::ui
