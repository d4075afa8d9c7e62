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
    void setGroups(std::vector<memtrace::LiveGroup> groups, memtrace::LiveBy by, base::Bytes all);

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    memtrace::LiveBy m_by = memtrace::LiveBy::Frame;
    base::Bytes m_all;
};

/// "forward, model.py:12", "Activations", "Stream 1", "Private pool 0.1".
[[nodiscard]] QString groupText(const std::string& name, memtrace::LiveBy by);
/// Of "train/model.py:12:forward": "forward, model.py:12"; anything else stays as it is.
[[nodiscard]] QString frameGroupText(const std::string& name);
/// Of the same, where an editor opens it: "train/model.py:12"; empty: it is no frame.
[[nodiscard]] QString frameSource(const std::string& name);

} // namespace plimsoll::ui
