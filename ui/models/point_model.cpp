// SPDX-License-Identifier: Apache-2.0
#include "ui/models/point_model.h"

#include "ui/base/numbers.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kHeads{"Peak", "Step time", "Slow-down", "Regions"};

double slowDown(const plan::VerifiedPlan& plan, base::Nanoseconds unplanned)
{
    return unplanned.count() > 0 ? static_cast<double>(plan.evaluation().stepTime.count())
                                           / static_cast<double>(unplanned.count())
                                       - 1.0
                                 : 0.0;
}

} // namespace

void PointModel::setFrontier(plan::FrontierPtr frontier, base::Nanoseconds unplannedTime)
{
    if (frontier == m_frontier && unplannedTime == m_unplannedTime)
        return;
    beginResetModel();
    m_frontier = std::move(frontier);
    m_unplannedTime = unplannedTime;
    endResetModel();
}

int PointModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_frontier ? 0 : static_cast<int>(m_frontier->points().size());
}

int PointModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant PointModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment{Qt::AlignRight | Qt::AlignVCenter});
    if (role != Qt::DisplayRole)
        return {};
    const plan::VerifiedPlan& plan = planAt(index.row());
    switch (index.column()) {
    case PeakColumn: return ui::bytesText(plan.evaluation().peak, Rounding::Up);
    case TimeColumn: return ui::timeText(plan.evaluation().stepTime);
    case SlowDownColumn: return percentDifferenceText(slowDown(plan, m_unplannedTime));
    case RegionsColumn: return ui::countText(plan.plan().decisionCount());
    default: return {};
    }
}

QVariant PointModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(ColumnCount))
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment{Qt::AlignRight | Qt::AlignVCenter});
    const bool isStep = m_frontier && !m_frontier->points().empty()
                        && m_frontier->points().front()->plan().runtime == plan::Runtime::Step;
    if (section == RegionsColumn && isStep && role == Qt::DisplayRole)
        return tr("Repeats");
    if (section == RegionsColumn && role == Qt::ToolTipRole)
        return isStep ? tr("Ops before which others are executed again")
                      : tr("Outermost regions that are recomputed");
    return role == Qt::DisplayRole
               ? QVariant{QString::fromLatin1(kHeads.at(static_cast<std::size_t>(section)))}
               : QVariant{};
}

} // namespace plimsoll::ui
