// SPDX-License-Identifier: Apache-2.0
#include "ui/models/point_model.h"

#include "ui/base/numbers.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kPointColumns{TableColumn{"Peak", true}, TableColumn{"Step time", true},
                                   TableColumn{"Slow-down", true}, TableColumn{"Regions", true},
                                   TableColumn{"Planner"}};

} // namespace

PointModel::PointModel(QObject* parent) : TableModel{kPointColumns, parent} {}

void PointModel::setFrontier(plan::FrontierPtr frontier, base::Nanoseconds unplannedTime)
{
    if (frontier == m_frontier && unplannedTime == m_unplannedTime)
        return;
    beginResetModel();
    m_frontier = std::move(frontier);
    m_unplannedTime = unplannedTime;
    endResetModel();
}

QString PointModel::text(int row, int column) const
{
    const plan::FrontierPoint& point = pointAt(row);
    const plan::VerifiedPlan& plan = *point;
    switch (column) {
    case PeakColumn: return ui::bytesText(plan.evaluation().peak, Rounding::Up);
    case TimeColumn: return ui::timeText(plan.evaluation().stepTime);
    case SlowDownColumn:
        return percentDifferenceText(slowDown(plan.evaluation().stepTime, m_unplannedTime));
    case RegionsColumn: return ui::countText(plan.plan().decisionCount());
    case PlannerColumn: return QString::fromStdString(point.provenance->madeBy().planner);
    default: return {};
    }
}

QVariant PointModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const bool isStep = m_frontier && !m_frontier->points().empty()
                        && m_frontier->points().front()->plan().isCompiledStep();
    if (orientation == Qt::Horizontal && section == RegionsColumn) {
        if (isStep && role == Qt::DisplayRole)
            return tr("Recomputed");
        if (role == Qt::ToolTipRole)
            return isStep ? tr("Ops before which others are recomputed")
                          : tr("Outermost regions that are recomputed");
    }
    return TableModel::headerData(section, orientation, role);
}

} // namespace plimsoll::ui
