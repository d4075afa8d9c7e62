// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/live_group_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/tables/cell_roles.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kGroupColumns{TableColumn{"Group"}, TableColumn{"Live", true},
                                   TableColumn{"Blocks", true}};

} // namespace

LiveGroupModel::LiveGroupModel(QObject* parent) : RowsModel{kGroupColumns, parent} {}

void LiveGroupModel::setGroups(std::vector<memtrace::LiveGroup> groups, memtrace::LiveBy by,
                               base::Bytes all)
{
    m_by = by;
    m_all = all;
    resetRows(std::move(groups));
}

QString LiveGroupModel::text(int row, int column) const
{
    const memtrace::LiveGroup& group = rowAt(row);
    switch (column) {
    case NameColumn: return groupText(group.name, m_by);
    case SizeColumn: return bytesText(group.bytes);
    default: return countText(group.blocks);
    }
}

QVariant LiveGroupModel::cell(int row, int column, int role) const
{
    const memtrace::LiveGroup& group = rowAt(row);
    if (role == FractionRole && column == SizeColumn)
        return static_cast<double>(group.bytes.count())
               / static_cast<double>(std::max<std::int64_t>(1, m_all.count()));
    if (role == ExactRole && column == SizeColumn)
        return QVariant::fromValue(group.bytes.count());
    if (column != NameColumn)
        return {};
    if (role == Qt::ToolTipRole)
        return plainTip(fileText(group.name));
    return role == PathRole
               ? QVariant{group.frames.empty() ? QString{} : frameSource(group.frames.front())}
               : QVariant{};
}

QString groupText(const std::string& name, memtrace::LiveBy by)
{
    const QString text = fileText(name);
    switch (by) {
    case memtrace::LiveBy::Class:
        for (const timeline::Layer& layer : *memtrace::classLayers())
            if (layer.id == name)
                return QString::fromStdString(layer.name);
        return text;
    case memtrace::LiveBy::Stream:
        return name == "0" ? QObject::tr("Default stream") : QObject::tr("Stream %1").arg(text);
    case memtrace::LiveBy::Pool:
        return name == "0.0" ? QObject::tr("Default pool")
                             : QObject::tr("Private pool %1").arg(text);
    case memtrace::LiveBy::Frame:
    case memtrace::LiveBy::Stack:
    case memtrace::LiveBy::Module: break;
    }
    return frameGroupText(name);
}

QString frameGroupText(const std::string& name)
{
    const QString text = fileText(name);
    const QStringList parts = text.split(u':');
    if (parts.size() < 3)
        return text;
    const QString source = parts[parts.size() - 3] + u':' + parts[parts.size() - 2];
    return parts.last() + QStringLiteral(", ") + shortSource(source);
}

QString frameSource(const std::string& name)
{
    const QString frame = fileText(name);
    const qsizetype colon = frame.lastIndexOf(u':');
    return colon < 0 || frame.startsWith(u'(') ? QString{} : frame.left(colon);
}

} // namespace plimsoll::ui
