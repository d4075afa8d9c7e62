// SPDX-License-Identifier: Apache-2.0
#include "ui/models/live_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/table_model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kLiveColumns{TableColumn{"Tensor"},      TableColumn{"Class"},
                                  TableColumn{"Bytes", true}, TableColumn{"Share", true},
                                  TableColumn{"Made by"},     TableColumn{"Since", true}};

} // namespace

void LiveModel::setTree(LiveTreePtr tree)
{
    beginResetModel();
    m_tree = std::move(tree);
    endResetModel();
}

QModelIndex LiveModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const std::vector<int>& siblings = parent.isValid() ? nodeAt(parent).children : m_tree->top;
    return createIndex(row, column, static_cast<quintptr>(siblings[static_cast<std::size_t>(row)]));
}

QModelIndex LiveModel::parent(const QModelIndex& child) const
{
    if (!child.isValid())
        return {};
    const int above = nodeAt(child).parent;
    return above < 0 ? QModelIndex{} : indexOfNode(above);
}

QModelIndex LiveModel::indexOfNode(int node) const
{
    return createIndex(m_tree->nodes[static_cast<std::size_t>(node)].row, 0,
                       static_cast<quintptr>(node));
}

QModelIndex LiveModel::indexOfModule(graph::ModuleId module) const
{
    if (!m_tree)
        return {};
    const auto group = std::ranges::find(m_tree->nodes, std::optional{module}, &LiveNode::module);
    return group == m_tree->nodes.end()
               ? QModelIndex{}
               : indexOfNode(static_cast<int>(group - m_tree->nodes.begin()));
}

int LiveModel::rowCount(const QModelIndex& parent) const
{
    if (!m_tree || parent.column() > 0)
        return 0;
    return static_cast<int>(parent.isValid() ? nodeAt(parent).children.size() : m_tree->top.size());
}

int LiveModel::columnCount(const QModelIndex& /*parent*/) const
{
    return static_cast<int>(kLiveColumns.size());
}

QString LiveModel::text(const LiveNode& node, int column) const
{
    const timeline::Timeline& timeline = *m_tree->evaluation->timeline;
    switch (column) {
    case NameColumn: return node.name;
    case ClassColumn: return node.category ? tr(timeline::categoryName(*node.category)) : QString{};
    case BytesColumn: return ui::bytesText(node.bytes);
    case ShareColumn:
        return m_tree->total.count() == 0
                   ? unknownText()
                   : percentText(static_cast<double>(node.bytes.count())
                                 / static_cast<double>(m_tree->total.count()));
    case MadeColumn: return node.made;
    case SinceColumn:
        if (!node.since)
            return {};
        return timeline.duration().count() > 0 ? ui::timeText(timeline.timeAt(*node.since))
                                               : tr("op %1").arg(*node.since);
    default: return {};
    }
}

QVariant LiveModel::data(const QModelIndex& index, int role) const
{
    if (!m_tree || !index.isValid())
        return {};
    const LiveNode& node = nodeAt(index);
    switch (role) {
    case Qt::DisplayRole: return text(node, index.column());
    case Qt::ToolTipRole:
        return index.column() == BytesColumn ? node.exact : plainTip(text(node, index.column()));
    case Qt::TextAlignmentRole:
        return alignmentOf(kLiveColumns.at(static_cast<std::size_t>(index.column())).isNumber);
    case CategoryRole:
        return node.category ? QVariant{static_cast<int>(*node.category)} : QVariant{};
    case KeyRole: return node.key;
    case GlobRole: return node.glob;
    case ModuleRole: {
        const std::optional<graph::ModuleId> module =
            node.isGroup || node.parent < 0
                ? node.module
                : m_tree->nodes[static_cast<std::size_t>(node.parent)].module;
        return module ? QVariant{static_cast<qulonglong>(module->index())} : QVariant{};
    }
    case SinceRole: return node.since ? QVariant{static_cast<qulonglong>(*node.since)} : QVariant{};
    default: return {};
    }
}

QVariant LiveModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headData(kLiveColumns, section, orientation, role);
}

} // namespace plimsoll::ui
