// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/diff_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/profile_tables/live_group_model.h"
#include "ui/tables/cell_roles.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kDiffColumns{
    TableColumn{"Group"},        TableColumn{"A", true},      TableColumn{"Blocks", true},
    TableColumn{"B", true},      TableColumn{"Blocks", true}, TableColumn{"B − A", true},
    TableColumn{"Only A", true}, TableColumn{"Blocks", true}, TableColumn{"In both", true},
    TableColumn{"Blocks", true}, TableColumn{"Only B", true}, TableColumn{"Blocks", true}};

/// What a column counts of a group; DifferenceColumn has none.
memtrace::BlockSum sumOf(const memtrace::DiffGroup& group, int column)
{
    switch (column) {
    case DiffModel::AColumn:
    case DiffModel::ABlocksColumn: return group.a;
    case DiffModel::BColumn:
    case DiffModel::BBlocksColumn: return group.b;
    case DiffModel::OnlyAColumn:
    case DiffModel::OnlyABlocksColumn: return group.onlyA();
    case DiffModel::OnlyBColumn:
    case DiffModel::OnlyBBlocksColumn: return group.onlyB();
    default: return group.common;
    }
}

bool countsBlocks(int column)
{
    return column == DiffModel::ABlocksColumn || column == DiffModel::BBlocksColumn
           || column == DiffModel::OnlyABlocksColumn || column == DiffModel::CommonBlocksColumn
           || column == DiffModel::OnlyBBlocksColumn;
}

} // namespace

DiffModel::DiffModel(QObject* parent) : RowsModel{kDiffColumns, parent} {}

void DiffModel::setGroups(std::vector<memtrace::DiffGroup> groups, memtrace::LiveBy by)
{
    m_by = by;
    resetRows(std::move(groups));
}

QString DiffModel::text(int row, int column) const
{
    const memtrace::DiffGroup& group = rowAt(row);
    if (column == NameColumn)
        return groupText(group.name, m_by);
    if (column == DifferenceColumn)
        return bytesDifferenceText(group.delta());
    const memtrace::BlockSum sum = sumOf(group, column);
    if (countsBlocks(column))
        return countText(sum.blocks);
    return bytesText(sum.bytes);
}

QVariant DiffModel::cell(int row, int column, int role) const
{
    const memtrace::DiffGroup& group = rowAt(row);
    if (role == Qt::ToolTipRole && column == NameColumn)
        return plainTip(fileText(group.name));
    if (role != ExactRole || column == NameColumn)
        return {};
    if (column == DifferenceColumn)
        return QVariant::fromValue(group.delta().count());
    const memtrace::BlockSum sum = sumOf(group, column);
    return countsBlocks(column) ? QVariant::fromValue(static_cast<std::int64_t>(sum.blocks))
                                : QVariant::fromValue(sum.bytes.count());
}

} // namespace plimsoll::ui
