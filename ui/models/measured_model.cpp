// SPDX-License-Identifier: Apache-2.0
#include "ui/models/measured_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kMeasuredColumns{TableColumn{"Run"}, TableColumn{"What"},
                                      TableColumn{"Predicted", true}, TableColumn{"Measured", true},
                                      TableColumn{"Difference", true}};

QString valueText(std::optional<std::int64_t> value, compare::Unit unit)
{
    if (!value)
        return unknownText();
    return unit == compare::Unit::Bytes ? bytesText(base::Bytes{*value})
                                        : timeText(base::Nanoseconds{*value});
}

QString differenceText(const MeasuredRow& row)
{
    if (!row.predicted || !row.measured)
        return {};
    const std::int64_t difference = *row.measured - *row.predicted;
    if (difference == 0)
        return MeasuredModel::tr("equal");
    QString text = row.unit == compare::Unit::Bytes
                       ? bytesDifferenceText(base::Bytes{difference})
                       : timeDifferenceText(base::Nanoseconds{difference});
    if (*row.predicted != 0)
        text += QStringLiteral(" (%1)").arg(percentDifferenceText(
            static_cast<double>(difference) / static_cast<double>(*row.predicted)));
    return text;
}

} // namespace

MeasuredModel::MeasuredModel(QObject* parent) : RowsModel{kMeasuredColumns, parent} {}

QString MeasuredModel::text(int at, int column) const
{
    const MeasuredRow& row = rowAt(at);
    switch (column) {
    case RunColumn: return row.run;
    case WhatColumn: return row.what;
    case PredictedColumn: return valueText(row.predicted, row.unit);
    case MeasuredColumn: return valueText(row.measured, row.unit);
    case DifferenceColumn: return differenceText(row);
    default: return {};
    }
}

QVariant MeasuredModel::cell(int at, int column, int role) const
{
    if (role != Qt::ToolTipRole)
        return {};
    const MeasuredRow& row = rowAt(at);
    const std::optional<std::int64_t> value = column == PredictedColumn  ? row.predicted
                                              : column == MeasuredColumn ? row.measured
                                                                         : std::nullopt;
    if (value && row.unit == compare::Unit::Bytes)
        return exactBytesText(base::Bytes{*value});
    return plainTip(text(at, column));
}

} // namespace plimsoll::ui
