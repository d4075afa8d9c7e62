// SPDX-License-Identifier: Apache-2.0
#include "ui/models/plan_model.h"

#include "core/plan/region_names.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/plan_names.h"
#include "ui/models/program_texts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::array kPlanColumns{TableColumn{"Decision"},    TableColumn{"Tensors"},
                                  TableColumn{"Saved", true}, TableColumn{"Cost", true},
                                  TableColumn{"Module"},      TableColumn{"Source"}};

constexpr std::size_t kListedKept = 12; ///< in a tool tip

int regionsIn(const std::vector<plan::Region>& regions)
{
    int count = static_cast<int>(regions.size());
    for (const plan::Region& region : regions)
        count += regionsIn(region.nested);
    return count;
}

/// "1 tensor", "3 tensors".
QString counted(int count, const QString& one, const QString& more)
{
    return QString::number(count) + u' ' + (count == 1 ? one : more);
}

QString tensorsText(int count)
{
    return counted(count, QStringLiteral("tensor"), QStringLiteral("tensors"));
}

} // namespace

PlanModel::PlanModel(QObject* parent) : RowsModel{kPlanColumns, parent} {}

void PlanModel::setPlan(plan::VerifiedPlanPtr plan)
{
    if (std::exchange(m_plan, plan) == plan)
        return;
    std::vector<PlanRow> rows;
    m_decisionCount = 0;
    m_movedCount = 0;
    if (m_plan && m_plan->plan().isCompiledStep()) {
        rows = repeatsOf(*m_plan);
        for (const PlanRow& row : rows) {
            m_decisionCount += row.isRepeated ? 1 : 0;
            m_movedCount += row.moved;
        }
    } else if (m_plan) {
        rows = rowsOf(*m_plan);
        m_decisionCount = regionsIn(m_plan->plan().regions());
    }
    sortRows(rows);
    replaceRows(std::move(rows));
}

void PlanModel::replaceRows(std::vector<PlanRow> rows)
{
    const base::Bytes before = std::exchange(m_mostSaved, base::Bytes{1});
    for (const PlanRow& row : rows)
        m_mostSaved = std::max(m_mostSaved, row.saved);
    const std::size_t common = std::min(rows.size(), m_rows.size());
    std::size_t first = common;
    std::size_t last = 0;
    for (std::size_t i = 0; i < common; ++i) {
        if (rows[i] == m_rows[i] && before == m_mostSaved)
            continue;
        first = std::min(first, i);
        last = i;
        std::swap(m_rows[i], rows[i]);
    }
    if (first < common)
        Q_EMIT dataChanged(index(static_cast<int>(first), 0),
                           index(static_cast<int>(last), ColumnCount - 1));
    const auto tail = static_cast<int>(common);
    if (m_rows.size() > common) {
        beginRemoveRows({}, tail, rowCount() - 1);
        m_rows.resize(common);
        endRemoveRows();
    } else if (rows.size() > common) {
        beginInsertRows({}, tail, static_cast<int>(rows.size()) - 1);
        std::move(rows.begin() + tail, rows.end(), std::back_inserter(m_rows));
        endInsertRows();
    }
}

void PlanModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= static_cast<int>(ColumnCount))
        return;
    m_sortColumn = column;
    m_sortOrder = order;
    reorder([this] { sortRows(m_rows); });
}

void PlanModel::sortRows(std::vector<PlanRow>& rows) const
{
    const auto less = [column = m_sortColumn](const PlanRow& a, const PlanRow& b) {
        switch (column) {
        case SavedColumn: return a.saved < b.saved;
        case CostColumn: return a.cost < b.cost;
        default: return textOf(a, column).compare(textOf(b, column)) < 0;
        }
    };
    std::ranges::stable_sort(rows, [&](const PlanRow& a, const PlanRow& b) {
        return m_sortOrder == Qt::AscendingOrder ? less(a, b) : less(b, a);
    });
}

std::optional<int> PlanModel::rowOf(const Stretch& stretch) const
{
    const auto found = std::ranges::find(m_rows, stretch, &PlanRow::stretch);
    return found == m_rows.end() ? std::nullopt
                                 : std::optional{static_cast<int>(found - m_rows.begin())};
}

std::vector<PlanRow> PlanModel::rowsOf(const plan::VerifiedPlan& verified)
{
    const graph::Program& program = *verified.problem().step();
    const plan::Evaluation& evaluation = verified.evaluation();
    const std::vector<plan::Region>& regions = verified.plan().regions(); // disjoint, in order
    std::vector<PlanRow> rows(regions.size());
    std::vector<int> tensors(regions.size());
    for (const plan::Recomputed& value : evaluation.recomputed) {
        const auto op = static_cast<graph::OpIndex>(value.op.index());
        const auto after = std::ranges::upper_bound(regions, op, {}, &plan::Region::first);
        if (after == regions.begin() || op > std::prev(after)->last)
            continue;
        const auto at = static_cast<std::size_t>(after - regions.begin() - 1);
        tensors[at] += value.bytes.count() > 0 ? 1 : 0; // not counting buffers updated again
        rows[at].saved += value.spared;
        rows[at].cost += value.time;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const plan::Region& region = regions[i];
        PlanRow& row = rows[i];
        row.stretch = {region.first, region.last};
        row.firstStep = evaluation.schedule->stepOfOp[static_cast<std::size_t>(region.first)];
        const auto [first, last] = plan::endsOf(program, region);
        row.module = fileText(first);
        if (first != last)
            row.module += QStringLiteral(" … ") + fileText(last);
        row.tensors = tensorsText(tensors[i]);
        if (const int nested = regionsIn(region.nested); nested > 0)
            row.tensors += QStringLiteral(", %1 nested").arg(nested);
        row.kept = keptBy(region);
        if (!row.kept.empty())
            row.tensors += QStringLiteral(", %1 kept").arg(row.kept.size());
        if (const std::int32_t source = plan::sourceOf(program, region); source >= 0)
            row.source = QString::fromStdString(program.sources[static_cast<std::size_t>(source)]);
    }
    return rows;
}

/// Each row costs its own recomputations. A value made by several rows is saved once, in the last.
std::vector<PlanRow> PlanModel::repeatsOf(const plan::VerifiedPlan& verified)
{
    const graph::Program& program = *verified.problem().step();
    const plan::Evaluation& evaluation = verified.evaluation();
    const std::vector<plan::RecomputeStep>& again = verified.plan().recomputeSteps();
    std::vector<PlanRow> rows(again.size());
    std::vector<int> tensors(again.size());
    const std::vector<int> moved = movedByRow(verified.plan());
    for (const plan::Recomputed& value : evaluation.recomputed)
        rows[static_cast<std::size_t>(value.region)].saved += value.spared;
    for (const plan::Instance& made : evaluation.schedule->instances)
        if (made.region >= 0 && program.storage(made.storage).bytes.count() > 0)
            ++tensors[static_cast<std::size_t>(made.region)];
    const std::vector<plan::Step>& steps = evaluation.schedule->steps;
    for (std::size_t at = 0; at < steps.size(); ++at)
        if (steps[at].region >= 0)
            rows[static_cast<std::size_t>(steps[at].region)].cost +=
                evaluation.timeline->timeAt(at + 1) - evaluation.timeline->timeAt(at);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const graph::OpId first = again[i].ops.front();
        const graph::Op& op = program.op(first);
        PlanRow& row = rows[i];
        row.stretch = {static_cast<graph::OpIndex>(first.index()), again[i].before};
        row.firstStep = evaluation.schedule->stepOfOp[first.index()];
        row.module = fileText(program.modulePath(op));
        row.moved = moved[i];
        row.isRepeated = static_cast<std::size_t>(moved[i]) < again[i].ops.size();
        const QString movedText =
            counted(moved[i], QStringLiteral("op moved"), QStringLiteral("ops moved"));
        row.tensors = row.isRepeated ? tensorsText(tensors[i]) : movedText;
        if (row.isRepeated && moved[i] > 0)
            row.tensors += QStringLiteral(", ") + movedText;
        if (op.source >= 0)
            row.source =
                QString::fromStdString(program.sources[static_cast<std::size_t>(op.source)]);
    }
    return rows;
}

QString PlanModel::textOf(const PlanRow& row, int column)
{
    switch (column) {
    case DecisionColumn:
        return row.isRepeated ? QStringLiteral("recompute") : QStringLiteral("move");
    case TensorColumn: return row.tensors;
    case SavedColumn: return ui::bytesText(row.saved);
    case CostColumn: return ui::timeText(row.cost);
    case ModuleColumn: return row.module;
    case SourceColumn: return fileText(row.source.mid(row.source.lastIndexOf(u'/') + 1));
    default: return {};
    }
}

/// The results that a region keeps although it is recomputed.
QString PlanModel::keptText(const PlanRow& row) const
{
    const graph::Program& program = *m_plan->problem().step();
    QStringList lines{tr("Recomputed: %1. These results are kept:").arg(row.tensors)};
    for (std::size_t i = 0; i < row.kept.size() && i < kListedKept; ++i) {
        const QString path = fileText(program.modulePath(program.op(row.kept[i])));
        lines << opTitle(program, row.kept[i])
                     + (path.isEmpty() ? path : QStringLiteral(", ") + path);
    }
    if (row.kept.size() > kListedKept)
        lines << tr("and %1 more").arg(row.kept.size() - kListedKept);
    return lines.join(u'\n');
}

QVariant PlanModel::cell(int at, int column, int role) const
{
    const PlanRow& row = rowAt(at);
    switch (role) {
    case Qt::ToolTipRole:
        if (column == SavedColumn)
            return exactBytesText(row.saved);
        if (column == TensorColumn && !row.kept.empty())
            return plainTip(keptText(row));
        if (column == DecisionColumn && row.moved > 0)
            return plainTip(
                tr("Ops that run ahead of their place in the recorded order: %1.").arg(row.moved));
        return plainTip(column == SourceColumn ? fileText(row.source) : textOf(row, column));
    case Qt::DecorationRole:
        if (column == DecisionColumn && !row.isRepeated)
            return icon(QStringLiteral("undo"));
        if (column == DecisionColumn)
            return icon(QStringLiteral("recompute"), Role::DecisionRecompute,
                        Role::DecisionRecompute);
        return {};
    case FractionRole:
        return static_cast<double>(row.saved.count()) / static_cast<double>(m_mostSaved.count());
    case LinkRole: return column == SourceColumn && !row.source.isEmpty();
    case PathRole: return row.source;
    case FirstStepRole: return row.firstStep;
    default: return {};
    }
}

} // namespace plimsoll::ui
