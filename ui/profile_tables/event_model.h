// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// All events of a device, in the order of the recording; cells are made when they are shown.
class EventModel : public TableModel
{
    Q_OBJECT

public:
    enum Column { NumberColumn, TimeColumn, ActionColumn, SizeColumn, AddressColumn, StackColumn };

    explicit EventModel(QObject* parent = nullptr);
    void setPicture(workspace::ProfilePicturePtr picture);

protected:
    [[nodiscard]] int rows() const override;
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    workspace::ProfilePicturePtr m_picture;
};

} // namespace plimsoll::ui
