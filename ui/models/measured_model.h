// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/compare/against_plan.h"
#include "ui/models/table_model.h"

#include <QString>

#include <optional>
#include <vector>

namespace plimsoll::ui {

/// A number that was predicted, measured or both: for a whole run, or one of its steps.
struct MeasuredRow
{
    QString run;  ///< "Without a plan"
    QString what; ///< "Allocator peak", or the op and its module
    compare::Unit unit = compare::Unit::Bytes;
    std::optional<std::int64_t> predicted;
    std::optional<std::int64_t> measured;
    std::optional<graph::OpId> op; ///< that ran then
    bool isRecomputed = false;     ///< in a recomputation

    bool operator==(const MeasuredRow&) const = default;
};

/// Predicted and measured numbers side by side, as `plimsoll-cli diff` prints them; the figures are
/// core/compare's.
class MeasuredModel : public RowsModel<MeasuredRow>
{
    Q_OBJECT

public:
    enum Column {
        RunColumn,
        WhatColumn,
        PredictedColumn,
        MeasuredColumn,
        DifferenceColumn,
        ColumnCount
    };

    explicit MeasuredModel(QObject* parent = nullptr);

    void setRows(std::vector<MeasuredRow> rows) { resetRows(std::move(rows)); }

protected:
    [[nodiscard]] QString text(int row, int column) const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
};

} // namespace plimsoll::ui
