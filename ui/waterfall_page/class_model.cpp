// SPDX-License-Identifier: Apache-2.0
#include "ui/waterfall_page/class_model.h"

#include "ui/base/numbers.h"
#include "ui/tables/cell_roles.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kClassColumns{TableColumn{"At the peak"}, TableColumn{"A", true},
                                   TableColumn{"B", true}, TableColumn{"B − A", true}};

constexpr std::int64_t kGibi = std::int64_t{1} << 30U;
constexpr base::Bytes kGibibytesFrom{100 * kGibi};

} // namespace

ClassModel::ClassModel(QObject* parent) : RowsModel{kClassColumns, parent} {}

void ClassModel::setWaterfall(const waterfall::Waterfall& waterfall)
{
    std::vector<ClassRow> rows;
    for (const waterfall::ClassBytes& each : waterfall.classes)
        if (each.predicted.count() != 0 || each.measured.count() != 0)
            rows.push_back(
                {each.category ? tr(timeline::categoryName(*each.category)) : tr("Not predicted"),
                 each.predicted, each.measured});
    m_like = std::max(waterfall.predictedPeak, waterfall.measuredPeak);
    if (m_like < kGibibytesFrom) // so that the rows add up to the total
        m_like = std::min(m_like, base::Bytes{kGibi / 2});
    rows.push_back({tr("Total, %1").arg(bytesFigure(m_like).unit), waterfall.predictedPeak,
                    waterfall.measuredPeak});
    resetRows(std::move(rows));
}

/// With a sign.
QString ClassModel::figure(base::Bytes bytes) const
{
    return bytesDifferenceText(bytes, m_like).section(QChar::Nbsp, 0, 0);
}

QString ClassModel::text(int row, int column) const
{
    const ClassRow& of = rowAt(row);
    switch (column) {
    case NameColumn: return of.name;
    case PredictedColumn: return figure(of.predicted).remove(QLatin1Char{'+'});
    case MeasuredColumn: return figure(of.measured).remove(QLatin1Char{'+'});
    default: return figure(of.measured - of.predicted);
    }
}

QVariant ClassModel::cell(int row, int column, int role) const
{
    const ClassRow& of = rowAt(row);
    const base::Bytes difference = of.measured - of.predicted;
    if (role == Qt::ToolTipRole && column != NameColumn)
        return exactBytesText(column == PredictedColumn  ? of.predicted
                              : column == MeasuredColumn ? of.measured
                                                         : difference);
    if (role != ExactRole)
        return {};
    switch (column) {
    case PredictedColumn: return QVariant::fromValue(of.predicted.count());
    case MeasuredColumn: return QVariant::fromValue(of.measured.count());
    case DifferenceColumn: return QVariant::fromValue(difference.count());
    default: return {};
    }
}

} // namespace plimsoll::ui
