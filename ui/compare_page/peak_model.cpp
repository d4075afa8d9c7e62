// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/peak_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/compare_page/side_style.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/tables/cell_roles.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kPeakColumns{
    TableColumn{""},           TableColumn{"Profile"},        TableColumn{"Device"},
    TableColumn{"Peak", true}, TableColumn{"Versus A", true}, TableColumn{"In phase"}};

} // namespace

PeakModel::PeakModel(QObject* parent) : RowsModel{kPeakColumns, parent} {}

void PeakModel::setPicture(const workspace::ComparisonPicture& picture)
{
    const memtrace::Comparison& comparison = *picture.comparison;
    std::vector<PeakRow> rows;
    for (std::size_t side = 0; side < picture.profiles.size(); ++side)
        rows.push_back({sideLetter(side), fileText(picture.profiles[side].name),
                        deviceText(comparison.sides()[side].of.device()), comparison.peakOf(side),
                        comparison.peakOf(side) - comparison.peakOf(0),
                        fileText(comparison.sides()[side].peakPhase)});
    resetRows(std::move(rows));
}

QString PeakModel::text(int row, int column) const
{
    const PeakRow& of = rowAt(row);
    switch (column) {
    case LetterColumn: return of.letter;
    case NameColumn: return of.name;
    case DeviceColumn: return of.device;
    case PeakColumn: return bytesText(of.peak);
    case ToAColumn: return row == 0 ? QString{} : bytesDifferenceText(of.toA);
    default: return of.phase;
    }
}

QVariant PeakModel::cell(int row, int column, int role) const
{
    const PeakRow& of = rowAt(row);
    if (role == Qt::ToolTipRole && column == NameColumn)
        return plainTip(of.name);
    if (role != ExactRole)
        return {};
    switch (column) {
    case PeakColumn: return QVariant::fromValue(of.peak.count());
    case ToAColumn: return row == 0 ? QVariant{} : QVariant::fromValue(of.toA.count());
    default: return {};
    }
}

} // namespace plimsoll::ui
