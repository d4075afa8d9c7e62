// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/waterfall/waterfall_document.h"
#include "ui/models/table_model.h"

#include <QString>

namespace plimsoll::ui {

struct BlockRow
{
    base::Bytes bytes; ///< below 0: predicted, and not there
    QString side;
    QString what; ///< the op that makes it, or who allocated it

    bool operator==(const BlockRow&) const = default;
};

/// The blocks that a row of the waterfall consists of, largest first.
class BlockModel : public RowsModel<BlockRow>
{
    Q_OBJECT

public:
    enum Column { BytesColumn, SideColumn, WhatColumn };

    explicit BlockModel(QObject* parent = nullptr);
    void setRow(const waterfall::Waterfall& waterfall, const workspace::ComparedProfile& profile,
                const waterfall::WaterfallRow& row);
    void clear() { resetRows({}); }

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
};

} // namespace plimsoll::ui
