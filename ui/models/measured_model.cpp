// SPDX-License-Identifier: Apache-2.0
#include "ui/models/measured_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kHeads{"Run", "What", "Predicted", "Measured", "Difference"};

bool isNumber(int column)
{
    return column >= MeasuredModel::PredictedColumn;
}

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

void MeasuredModel::setRows(std::vector<MeasuredRow> rows)
{
    if (rows == m_rows)
        return;
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int MeasuredModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int MeasuredModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString MeasuredModel::textOf(const MeasuredRow& row, int column)
{
    switch (column) {
    case RunColumn: return row.run;
    case WhatColumn: return row.what;
    case PredictedColumn: return valueText(row.predicted, row.unit);
    case MeasuredColumn: return valueText(row.measured, row.unit);
    case DifferenceColumn: return differenceText(row);
    default: return {};
    }
}

QString MeasuredModel::tipOf(const MeasuredRow& row, int column)
{
    const std::optional<std::int64_t> value = column == PredictedColumn  ? row.predicted
                                              : column == MeasuredColumn ? row.measured
                                                                         : std::nullopt;
    if (value && row.unit == compare::Unit::Bytes)
        return exactBytesText(base::Bytes{*value});
    return plainTip(textOf(row, column));
}

QVariant MeasuredModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const MeasuredRow& row = rowAt(index.row());
    switch (role) {
    case Qt::DisplayRole: return textOf(row, index.column());
    case Qt::ToolTipRole: return tipOf(row, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment{
            (isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter});
    default: return {};
    }
}

QVariant MeasuredModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(ColumnCount))
        return {};
    if (role == Qt::DisplayRole)
        return QString::fromLatin1(kHeads.at(static_cast<std::size_t>(section)));
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment{(isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter});
    return {};
}

} // namespace plimsoll::ui
