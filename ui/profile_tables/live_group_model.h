// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/live_groups.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// Groups of what is live at a step, largest first.
class LiveGroupModel : public RowsModel<memtrace::LiveGroup>
{
    Q_OBJECT

public:
    enum Column { NameColumn, SizeColumn, BlocksColumn };

    explicit LiveGroupModel(QObject* parent = nullptr);
    /// `all`: bytes of all groups together, of which bars show the share.
    void setGroups(std::vector<memtrace::LiveGroup> groups, base::Bytes all);

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    base::Bytes m_all;
};

/// "forward, model.py:12" of "train/model.py:12:forward"; anything else stays as it is.
[[nodiscard]] QString groupText(const std::string& name);

} // namespace plimsoll::ui
