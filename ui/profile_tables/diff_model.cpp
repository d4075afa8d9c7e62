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

constexpr std::array kDiffColumns{TableColumn{"Group"},      TableColumn{"A", true},
                                  TableColumn{"B", true},    TableColumn{"B − A", true},
                                  TableColumn{"in A", true}, TableColumn{"in B", true}};

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
    switch (column) {
    case NameColumn: return groupText(group.name, m_by);
    case AColumn: return bytesText(group.a.bytes);
    case BColumn: return bytesText(group.b.bytes);
    case DifferenceColumn: return bytesDifferenceText(group.delta());
    case ABlocksColumn: return countText(group.a.blocks);
    default: return countText(group.b.blocks);
    }
}

QVariant DiffModel::cell(int row, int column, int role) const
{
    const memtrace::DiffGroup& group = rowAt(row);
    if (role == Qt::ToolTipRole && column == NameColumn)
        return plainTip(fileText(group.name));
    if (role != ExactRole)
        return {};
    switch (column) {
    case AColumn: return QVariant::fromValue(group.a.bytes.count());
    case BColumn: return QVariant::fromValue(group.b.bytes.count());
    case DifferenceColumn: return QVariant::fromValue(group.delta().count());
    default: return {};
    }
}

} // namespace plimsoll::ui
