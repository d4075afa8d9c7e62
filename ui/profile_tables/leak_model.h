// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/leaks.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// Places whose memory outlives the step that allocated it, growing ones first.
class LeakModel : public RowsModel<memtrace::LeakGroup>
{
    Q_OBJECT

public:
    enum Column { NameColumn, GrowthColumn, SizeColumn, BlocksColumn };

    explicit LeakModel(QObject* parent = nullptr);
    void setGroups(std::vector<memtrace::LeakGroup> groups);

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::int64_t m_largest = 1; ///< bytes of a full bar
};

} // namespace plimsoll::ui
