// SPDX-License-Identifier: Apache-2.0
#include "ui/module_page/module_model.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/table_model.h"
#include "ui/plan_tables/plan_model.h"

#include <algorithm>
#include <array>

namespace plimsoll::ui {

namespace {

constexpr std::array kModuleColumns{
    TableColumn{"Module"},     TableColumn{"Decision"},         TableColumn{"At peak", true},
    TableColumn{"Kept", true}, TableColumn{"Recomputed", true}, TableColumn{"Time", true},
    TableColumn{"Class"},
};

/// What a column's figures are, for the head's tool tip.
constexpr std::array kModuleTips{
    "Modules that the step calls. Each row contains what is inside it.",
    "Whether the plan keeps what the module computes, or recomputes it.",
    "Bytes that are live when the step reaches its peak.",
    "Kept for backward: results of forward that are in memory when backward begins.",
    "Bytes of the values that the plan computes again instead of keeping them.",
    "Time of all ops of the module: forward, backward and recomputations.",
    "Python class of the module.",
};

} // namespace

QString decisionText(plan::ModuleDecision decision)
{
    switch (decision) {
    case plan::ModuleDecision::None: break;
    case plan::ModuleDecision::Keep: return ModuleModel::tr("Kept");
    case plan::ModuleDecision::Part: return ModuleModel::tr("Partly recomputed");
    case plan::ModuleDecision::Recompute: return ModuleModel::tr("Recomputed");
    }
    return {};
}

void ModuleModel::setPlan(const plan::VerifiedPlanPtr& plan, bool inPlace)
{
    if (m_plan && plan && m_plan->evaluationPtr() == plan->evaluationPtr()) {
        if (!inPlace)
            sortRows();
        return;
    }
    const bool isSame = m_plan && plan && m_plan->problem().step() == plan->problem().step();
    if (!isSame)
        beginResetModel();
    m_plan = plan;
    if (!isSame)
        reset();
    if (plan)
        m_figures = plan::moduleFigures(program(), m_tree, plan->evaluation());
    m_mostAtPeak = base::Bytes{1};
    for (const int node : m_top)
        m_mostAtPeak = std::max(m_mostAtPeak, figuresOf(node).atPeak);
    if (!isSame) {
        order(m_top);
        for (Row& row : m_rows)
            order(row.inside);
        endResetModel();
        return;
    }
    if (!inPlace)
        sortRows();
    Q_EMIT dataChanged(indexOfNode(m_top.front()), indexOfNode(m_top.back(), ColumnCount - 1));
    for (const Row& row : m_rows)
        if (!row.inside.empty())
            Q_EMIT dataChanged(indexOfNode(row.inside.front()),
                               indexOfNode(row.inside.back(), ColumnCount - 1));
}

/// Everything that depends on the program only.
void ModuleModel::reset()
{
    m_tree = {};
    m_figures.clear();
    m_rows.clear();
    m_top.clear();
    if (!m_plan)
        return;
    m_tree = graph::moduleTree(program());
    m_rows.resize(m_tree.nodes.size() + 1);
    for (int node = 0; node < outside(); ++node) {
        const std::int32_t parent = m_tree.nodes[static_cast<std::size_t>(node)].parent;
        (parent < 0 ? m_top : m_rows[static_cast<std::size_t>(parent)].inside).push_back(node);
    }
    m_top.push_back(outside());
    for (const graph::Call& call : program().calls) {
        const std::int32_t node = m_tree.ofModule[call.module.index()];
        if (node >= 0 && m_rows[static_cast<std::size_t>(node)].source < 0)
            m_rows[static_cast<std::size_t>(node)].source = call.source;
        if (node >= 0 && m_rows[static_cast<std::size_t>(node)].first < 0 && !call.isEmpty())
            m_rows[static_cast<std::size_t>(node)].first = call.first;
    }
}

bool ModuleModel::precedes(int a, int b) const
{
    const plan::ModuleFigures& left = figuresOf(a);
    const plan::ModuleFigures& right = figuresOf(b);
    switch (m_sortColumn) {
    case PeakColumn: return left.atPeak < right.atPeak;
    case SavedColumn: return left.saved < right.saved;
    case RecomputedColumn: return left.recomputed < right.recomputed;
    case TimeColumn: return left.time < right.time;
    case DecisionColumn: return left.decision < right.decision;
    case ClassColumn: return text(a, ClassColumn) < text(b, ClassColumn);
    default: return a < b;
    }
}

void ModuleModel::order(std::vector<int>& siblings)
{
    std::ranges::sort(siblings); // equal ones stay in the modules' order
    std::ranges::stable_sort(siblings, [this](int a, int b) {
        return m_sortOrder == Qt::AscendingOrder ? precedes(a, b) : precedes(b, a);
    });
    for (std::size_t place = 0; place < siblings.size(); ++place)
        m_rows[static_cast<std::size_t>(siblings[place])].place = static_cast<int>(place);
}

void ModuleModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    if (m_plan)
        sortRows();
}

void ModuleModel::sortRows()
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList from = persistentIndexList();
    order(m_top);
    for (Row& row : m_rows)
        order(row.inside);
    QModelIndexList to;
    for (const QModelIndex& old : from)
        to << indexOfNode(static_cast<int>(old.internalId()), old.column());
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

QModelIndex ModuleModel::indexOfModule(std::size_t module) const
{
    if (!m_plan || module >= m_tree.ofModule.size() || m_tree.ofModule[module] < 0)
        return {};
    return indexOfNode(m_tree.ofModule[module]);
}

QModelIndex ModuleModel::indexOfNode(int node, int column) const
{
    return createIndex(rowOf(node).place, column, static_cast<quintptr>(node));
}

QModelIndex ModuleModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const std::vector<int>& siblings =
        parent.isValid() ? rowOf(static_cast<int>(parent.internalId())).inside : m_top;
    return createIndex(row, column, static_cast<quintptr>(siblings[static_cast<std::size_t>(row)]));
}

QModelIndex ModuleModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || static_cast<int>(child.internalId()) == outside())
        return {};
    const std::int32_t above = m_tree.nodes[static_cast<std::size_t>(child.internalId())].parent;
    return above < 0 ? QModelIndex{} : indexOfNode(above);
}

int ModuleModel::rowCount(const QModelIndex& parent) const
{
    if (parent.column() > 0)
        return 0;
    return static_cast<int>(parent.isValid()
                                ? rowOf(static_cast<int>(parent.internalId())).inside.size()
                                : m_top.size());
}

int ModuleModel::columnCount(const QModelIndex& /*parent*/) const
{
    return ColumnCount;
}

const graph::Module* ModuleModel::moduleOf(int node) const
{
    return node == outside()
               ? nullptr
               : &program().module(m_tree.nodes[static_cast<std::size_t>(node)].module);
}

QString ModuleModel::text(int node, int column) const
{
    const plan::ModuleFigures& figures = figuresOf(node);
    const graph::Module* module = moduleOf(node);
    switch (column) {
    case NameColumn:
        return module == nullptr ? tr("Outside of modules")
                                 : fileText(m_tree.nodes[static_cast<std::size_t>(node)].name);
    case PeakColumn: return ui::bytesText(figures.atPeak);
    case SavedColumn: return ui::bytesText(figures.saved);
    case RecomputedColumn:
        return figures.recomputed.count() == 0 ? QString{} : ui::bytesText(figures.recomputed);
    case TimeColumn: return ui::timeText(figures.time);
    case DecisionColumn: return decisionText(figures.decision);
    case ClassColumn: return module == nullptr ? QString{} : fileText(module->className);
    default: return {};
    }
}

QString ModuleModel::tip(int node, int column) const
{
    const plan::ModuleFigures& figures = figuresOf(node);
    const graph::Module* module = moduleOf(node);
    switch (column) {
    case NameColumn:
        return module == nullptr
                   ? tr("The model's own ops, loss, optimizer and inputs.")
                   : plainTip(fileText(module->path + " (" + module->className + ")"));
    case PeakColumn: return exactBytesText(figures.atPeak);
    case SavedColumn: return exactBytesText(figures.saved);
    case RecomputedColumn:
        return figures.recomputed.count() == 0
                   ? tr("Nothing is recomputed.")
                   : tr("%1, recomputed in %2")
                         .arg(exactBytesText(figures.recomputed), timeText(figures.recomputeTime));
    case TimeColumn:
        return figures.recomputeTime.count() == 0
                   ? timeText(figures.time)
                   : tr("%1, of which %2 in recomputations")
                         .arg(timeText(figures.time), timeText(figures.recomputeTime));
    default: return plainTip(text(node, column));
    }
}

QVariant ModuleModel::firstStepOf(int node) const
{
    const graph::OpIndex first = rowOf(node).first;
    return first < 0 ? QVariant{} : m_plan->evaluation().schedule->ownStep(first);
}

QVariant ModuleModel::data(const QModelIndex& index, int role) const
{
    if (!m_plan || !index.isValid())
        return {};
    const auto node = static_cast<int>(index.internalId());
    switch (role) {
    case Qt::DisplayRole: return text(node, index.column());
    case Qt::ToolTipRole: return tip(node, index.column());
    case Qt::TextAlignmentRole:
        return alignmentOf(kModuleColumns.at(static_cast<std::size_t>(index.column())).isNumber);
    case FractionRole:
        return index.column() == PeakColumn ? static_cast<double>(figuresOf(node).atPeak.count())
                                                  / static_cast<double>(m_mostAtPeak.count())
                                            : QVariant{};
    case DecisionRole: return static_cast<int>(figuresOf(node).decision);
    case ModuleRole:
        return node == outside() ? QVariant{}
                                 : QVariant{static_cast<qulonglong>(
                                     m_tree.nodes[static_cast<std::size_t>(node)].module.index())};
    case GlobRole: return node == outside() ? QString{} : fileText(moduleOf(node)->path);
    case SourceRole:
        return rowOf(node).source < 0
                   ? QString{}
                   : QString::fromStdString(
                       program().sources[static_cast<std::size_t>(rowOf(node).source)]);
    case FirstStepRole: return firstStepOf(node);
    default: return {};
    }
}

QVariant ModuleModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::ToolTipRole && orientation == Qt::Horizontal && section >= 0
        && section < ColumnCount)
        return tr(kModuleTips.at(static_cast<std::size_t>(section)));
    return headData(kModuleColumns, section, orientation, role);
}

} // namespace plimsoll::ui
