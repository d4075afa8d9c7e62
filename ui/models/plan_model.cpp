// SPDX-License-Identifier: Apache-2.0
#include "ui/models/plan_model.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kHeads{"Decision", "Tensors", "Saved", "Cost", "Module", "Source"};

int regionsIn(const std::vector<plan::Region>& regions)
{
    int count = static_cast<int>(regions.size());
    for (const plan::Region& region : regions)
        count += regionsIn(region.nested);
    return count;
}

} // namespace

void PlanModel::setPlan(plan::VerifiedPlanPtr plan)
{
    beginResetModel();
    m_plan = std::move(plan);
    m_rows.clear();
    m_regionCount = 0;
    if (m_plan) {
        m_regionCount = regionsIn(m_plan->plan().regions);
        for (const plan::Region& region : m_plan->plan().regions)
            m_rows.push_back(rowOf(region));
        std::stable_sort(m_rows.begin(), m_rows.end(),
                         [](const Row& a, const Row& b) { return a.saved > b.saved; });
    }
    endResetModel();
}

PlanModel::Row PlanModel::rowOf(const plan::Region& region) const
{
    const graph::Program& program = *m_plan->problem().program;
    const plan::Evaluation& evaluation = m_plan->evaluation();
    Row row;
    row.region = &region;
    row.firstStep = evaluation.schedule->stepOfOp[static_cast<std::size_t>(region.first)];
    int tensors = 0;
    for (const plan::Recomputed& value : evaluation.recomputed) {
        const auto op = static_cast<graph::Moment>(value.op.index());
        if (op < region.first || op > region.last)
            continue;
        tensors += value.bytes.count() > 0 ? 1 : 0; // not counting buffers updated again
        row.saved += value.spared;
        row.cost += value.time;
    }
    const graph::Call& head = program.call(region.members.front());
    const QString first = QString::fromStdString(program.module(head.module).path);
    const QString last =
        QString::fromStdString(program.module(program.call(region.members.back()).module).path);
    row.module = region.members.size() == 1 ? first : first + QStringLiteral(" … ") + last;
    const int nested = regionsIn(region.nested);
    row.tensors =
        tensors == 1 ? QStringLiteral("1 tensor") : QStringLiteral("%1 tensors").arg(tensors);
    if (nested > 0)
        row.tensors += QStringLiteral(", %1 nested").arg(nested);
    if (head.source >= 0)
        row.source = QString::fromStdString(program.sources[static_cast<std::size_t>(head.source)]);
    return row;
}

int PlanModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString PlanModel::text(const Row& row, int column) const
{
    switch (column) {
    case DecisionColumn: return QStringLiteral("recompute");
    case TensorColumn: return row.tensors;
    case SavedColumn: return ui::bytesText(row.saved);
    case CostColumn: return ui::timeText(row.cost);
    case ModuleColumn: return row.module;
    case SourceColumn: return row.source.mid(row.source.lastIndexOf(u'/') + 1);
    default: return {};
    }
}

QVariant PlanModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool isNumber = index.column() == SavedColumn || index.column() == CostColumn;
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::ToolTipRole:
        if (index.column() == SavedColumn)
            return exactBytesText(row.saved);
        return index.column() == SourceColumn ? row.source : text(row, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment{(isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter});
    case Qt::DecorationRole:
        if (index.column() == DecisionColumn)
            return icon(QStringLiteral("recompute"), Role::DecisionRecompute,
                        Role::DecisionRecompute);
        return {};
    case SortRole:
        if (index.column() == SavedColumn)
            return static_cast<qlonglong>(row.saved.count());
        if (index.column() == CostColumn)
            return static_cast<qlonglong>(row.cost.count());
        return text(row, index.column());
    case FractionRole: {
        base::Bytes most{1};
        for (const Row& other : m_rows)
            most = std::max(most, other.saved);
        return static_cast<double>(row.saved.count()) / static_cast<double>(most.count());
    }
    case LinkRole: return index.column() == SourceColumn && !row.source.isEmpty();
    case PathRole: return row.source;
    case FirstStepRole: return row.firstStep;
    default: return {};
    }
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(ColumnCount))
        return {};
    if (role == Qt::DisplayRole)
        return QString::fromLatin1(kHeads.at(static_cast<std::size_t>(section)));
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment{
            (section == SavedColumn || section == CostColumn ? Qt::AlignRight : Qt::AlignLeft)
            | Qt::AlignVCenter});
    return {};
}

} // namespace plimsoll::ui
