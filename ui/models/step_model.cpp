// SPDX-License-Identifier: Apache-2.0
#include "ui/models/step_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

/// Measured columns come last: they exist only if something was measured.
std::array<TableColumn, StepModel::ColumnCount> columns()
{
    std::array<TableColumn, StepModel::ColumnCount> all{
        {{"Step", true}, {"Op"}, {"Module"}, {"Phase"}, {"Begins", true}, {"Total", true}}};
    for (std::size_t category = 0; category < timeline::kCategoryCount; ++category)
        all.at(StepModel::FirstClassColumn + category) = {
            timeline::categoryName(static_cast<timeline::Category>(category)), true};
    all[StepModel::MeasuredColumn] = {"Measured", true};
    all[StepModel::DifferenceColumn] = {"Difference", true};
    all[StepModel::AllocatorColumn] = {"Allocator", true};
    all[StepModel::TookColumn] = {"Took", true};
    return all;
}

const std::array kStepColumns = columns();

} // namespace

StepModel::StepModel(QObject* parent) : TableModel{kStepColumns, parent} {}

void StepModel::setPlan(plan::VerifiedPlanPtr plan, Measured measured)
{
    if (plan == m_plan && measured == m_measured)
        return;
    beginResetModel();
    m_plan = std::move(plan);
    m_measured = std::move(measured);
    endResetModel();
}

int StepModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_measured.run ? ColumnCount : MeasuredColumn);
}

QString StepModel::text(int row, int column) const
{
    const auto step = static_cast<std::size_t>(row);
    const plan::Evaluation& evaluation = m_plan->evaluation();
    const timeline::Timeline& memory = *evaluation.timeline;
    if (column >= MeasuredColumn)
        return measuredAt(step, column);
    if (column >= FirstClassColumn)
        return ui::bytesText(
            memory.stackAt(step).at(static_cast<std::size_t>(column - FirstClassColumn)));
    const plan::Step& executed = evaluation.schedule->steps[step];
    const graph::Program& program = *m_plan->problem().step();
    const bool isRecomputed = executed.region >= 0;
    switch (column) {
    case StepColumn: return ui::countText(step);
    case OpColumn:
        return isRecomputed ? QStringLiteral("%1, recomputed").arg(opTitle(program, executed.op))
                            : opTitle(program, executed.op);
    case ModuleColumn: return fileText(program.modulePath(program.op(executed.op)));
    case PhaseColumn: return phaseText(evaluation.schedule->phaseAt(program, step));
    case BeginColumn: return ui::timeText(memory.timeAt(step));
    case TotalColumn: return ui::bytesText(memory.totalAt(step), Rounding::Up);
    default: return {};
    }
}

QString StepModel::measuredAt(std::size_t step, int column) const
{
    const compare::MeasuredOp& op = m_measured.run->ops[step];
    switch (column) {
    case MeasuredColumn: return ui::bytesText(op.live, Rounding::Up);
    case DifferenceColumn:
        return bytesDifferenceText(op.live - m_measured.predicted->timeline->totalAt(step));
    case AllocatorColumn:
        return op.allocator ? ui::bytesText(*op.allocator, Rounding::Up) : unknownText();
    case TookColumn: return op.time ? ui::timeText(*op.time) : unknownText();
    default: return {};
    }
}

} // namespace plimsoll::ui
