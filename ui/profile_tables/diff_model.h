// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/analysis/trace_diff.h"
#include "ui/models/table_model.h"

namespace plimsoll::ui {

/// Groups of what two profiles hold at their peaks, largest difference first.
class DiffModel : public RowsModel<memtrace::DiffGroup>
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        AColumn,
        ABlocksColumn,
        BColumn,
        BBlocksColumn,
        DifferenceColumn,
        OnlyAColumn,
        OnlyABlocksColumn,
        CommonColumn, ///< as many blocks of each size as the side with fewer has
        CommonBlocksColumn,
        OnlyBColumn,
        OnlyBBlocksColumn
    };

    explicit DiffModel(QObject* parent = nullptr);
    void setGroups(std::vector<memtrace::DiffGroup> groups, memtrace::LiveBy by);

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    memtrace::LiveBy m_by = memtrace::LiveBy::Frame;
};

} // namespace plimsoll::ui
