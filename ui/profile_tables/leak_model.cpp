// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/leak_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/profile_tables/live_group_model.h"
#include "ui/tables/cell_roles.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kLeakColumns{TableColumn{"Allocated by"}, TableColumn{"Each step", true},
                                  TableColumn{"Live after the last", true},
                                  TableColumn{"Blocks", true}};

} // namespace

LeakModel::LeakModel(QObject* parent) : RowsModel{kLeakColumns, parent} {}

void LeakModel::setGroups(std::vector<memtrace::LeakGroup> groups)
{
    m_largest = 1;
    for (const memtrace::LeakGroup& group : groups)
        m_largest = std::max(m_largest, group.bytes.count());
    resetRows(std::move(groups));
}

QString LeakModel::text(int row, int column) const
{
    const memtrace::LeakGroup& group = rowAt(row);
    switch (column) {
    case NameColumn: return frameGroupText(group.name);
    case GrowthColumn: return group.grows ? bytesDifferenceText(group.perStep) : tr("stays");
    case SizeColumn: return bytesText(group.bytes);
    default: return countText(group.blocks);
    }
}

QVariant LeakModel::cell(int row, int column, int role) const
{
    const memtrace::LeakGroup& group = rowAt(row);
    if (role == FractionRole && column == SizeColumn)
        return static_cast<double>(group.bytes.count()) / static_cast<double>(m_largest);
    if (role == ExactRole && column == SizeColumn)
        return QVariant::fromValue(group.bytes.count());
    if (role == ExactRole && column == GrowthColumn)
        return QVariant::fromValue(group.perStep.count());
    if (column == NameColumn && role == Qt::ToolTipRole)
        return plainTip(fileText(group.name));
    if (column == NameColumn && role == PathRole)
        return frameSource(group.name);
    return {};
}

} // namespace plimsoll::ui
