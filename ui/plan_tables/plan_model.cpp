// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/plan_model.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"
#include "ui/models/pin_globs.h"
#include "ui/models/table_model.h"
#include "ui/plan_tables/plan_cells.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

using Kind = PlanSpot::Kind;

constexpr std::array kPlanColumns{TableColumn{"Module"},       TableColumn{"Saved", true},
                                  TableColumn{"Cost", true},   TableColumn{"Tensors"},
                                  TableColumn{"Source"},       TableColumn{"Decision"},
                                  TableColumn{"ms/GiB", true}, TableColumn{"Ops"},
                                  TableColumn{"Last use"},     TableColumn{"Pin"}};

constexpr int kKinds = 3;
constexpr int kMostGlobs = 12; ///< of one row: a longer menu is no help

quintptr idOf(const PlanSpot& spot)
{
    return static_cast<quintptr>(spot.number) * kKinds + static_cast<quintptr>(spot.kind);
}

} // namespace

void PlanModel::setPlan(const plan::VerifiedPlanPtr& plan)
{
    if (plan != m_tree.plan())
        build(plan);
}

void PlanModel::setRange(std::optional<StepRange> range)
{
    if (m_range == range)
        return;
    m_range = range;
    build(m_tree.plan());
}

void PlanModel::build(const plan::VerifiedPlanPtr& plan)
{
    PlanTree next;
    if (plan) {
        std::shared_ptr<const DecisionNames> names = m_tree.names();
        if (!names || names->program() != plan->problem().step())
            names = std::make_shared<const DecisionNames>(plan->problem().step());
        next = PlanTree{plan, std::move(names), m_groupNumbers, m_range};
        next.sort(m_sortColumn, m_sortOrder);
    }
    m_decisionCount = 0;
    m_movedCount = 0;
    for (const PlanRow& row : next.decisions()) {
        m_decisionCount += (row.isRepeated ? 1 : 0) + row.figures.nested;
        m_movedCount += row.figures.moved;
    }
    replace(std::move(next));
}

void PlanModel::replace(PlanTree next)
{
    if (next.hasShapeOf(m_tree) && !m_tree.hasOpenDecisions()) {
        const PlanTree before = std::exchange(m_tree, std::move(next));
        tellChanges(before);
        return;
    }
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList from = persistentIndexList();
    std::vector<Identity> kept;
    for (const QModelIndex& old : from)
        kept.push_back(identityOf(old));
    m_tree = std::move(next);
    QModelIndexList to;
    for (std::size_t i = 0; i < kept.size(); ++i)
        to << find(kept[i], from[static_cast<qsizetype>(i)].column());
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged();
}

/// The rows are the same, their figures may not be.
void PlanModel::tellChanges(const PlanTree& before)
{
    const bool areAll = before.mostSaved() != m_tree.mostSaved();
    const auto isChanged = [&](const PlanSpot& spot) {
        return areAll || !(m_tree.figuresOf(spot) == before.figuresOf(spot))
               || !(m_tree.rowAt(spot) == before.rowAt(spot));
    };
    std::vector<bool> changed;
    for (const PlanSpot& spot : m_tree.top())
        changed.push_back(isChanged(spot));
    tellRows({}, changed);
    for (std::size_t i = 0; i < m_tree.groups().size(); ++i) {
        changed.clear();
        for (const int decision : m_tree.groups()[i].rows)
            changed.push_back(isChanged({Kind::Decision, decision}));
        tellRows(indexOf({Kind::Group, static_cast<int>(i)}, 0), changed);
    }
}

void PlanModel::tellRows(const QModelIndex& parent, const std::vector<bool>& isChanged)
{
    const auto first = std::ranges::find(isChanged, true);
    if (first == isChanged.end())
        return;
    const auto last = std::find(isChanged.rbegin(), isChanged.rend(), true);
    Q_EMIT dataChanged(
        index(static_cast<int>(first - isChanged.begin()), 0, parent),
        index(static_cast<int>(isChanged.rend() - last) - 1, ColumnCount - 1, parent));
}

void PlanModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= static_cast<int>(ColumnCount))
        return;
    m_sortColumn = static_cast<PlanColumn>(column);
    m_sortOrder = order;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList from = persistentIndexList();
    m_tree.sort(m_sortColumn, order);
    QModelIndexList to;
    for (const QModelIndex& old : from)
        to << indexOf(spotAt(old), old.column());
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

PlanModel::Identity PlanModel::identityOf(const QModelIndex& index) const
{
    const PlanSpot spot = spotAt(index);
    Identity identity{.kind = spot.kind, .stretch = m_tree.rowAt(spot).stretch};
    if (spot.kind == Kind::Group)
        identity.key = m_tree.groupAt(spot).key;
    if (spot.kind == Kind::Value) {
        identity.op = m_tree.valueAt(spot).op;
        identity.storage = m_tree.valueAt(spot).storage;
    }
    return identity;
}

QModelIndex PlanModel::find(const Identity& identity, int column) const
{
    if (identity.kind == Kind::Group) {
        const auto group = std::ranges::find(m_tree.groups(), identity.key, &PlanGroup::key);
        if (group == m_tree.groups().end())
            return {};
        return indexOf({Kind::Group, static_cast<int>(group - m_tree.groups().begin())}, column);
    }
    const std::optional<int> decision = decisionOf(identity.stretch);
    if (!decision)
        return {};
    if (identity.kind == Kind::Decision)
        return indexOf({Kind::Decision, *decision}, column);
    const std::vector<PlanValue>& values = m_tree.valuesOf(*decision);
    const auto value = std::ranges::find_if(values, [&](const PlanValue& row) {
        return row.op == identity.op && row.storage == identity.storage;
    });
    if (value == values.end())
        return {};
    return indexOf({Kind::Value, *decision, static_cast<int>(value - values.begin())}, column);
}

std::optional<int> PlanModel::decisionOf(const Stretch& stretch) const
{
    const auto row = std::ranges::find(m_tree.decisions(), stretch, &PlanRow::stretch);
    if (row == m_tree.decisions().end())
        return std::nullopt;
    const auto decision = static_cast<int>(row - m_tree.decisions().begin());
    return m_tree.isShown(decision) ? std::optional{decision} : std::nullopt;
}

std::vector<PlanModel::Stretch> PlanModel::stretchesAt(const QModelIndex& index) const
{
    std::vector<Stretch> stretches;
    if (index.isValid())
        for (const PlanRow* row : m_tree.rowsOf(spotAt(index)))
            stretches.push_back(row->stretch);
    return stretches;
}

QModelIndex PlanModel::indexOf(const Stretch& stretch, int column) const
{
    const std::optional<int> decision = decisionOf(stretch);
    return decision ? indexOf({Kind::Decision, *decision}, column) : QModelIndex{};
}

QModelIndex PlanModel::indexOfModule(std::size_t module) const
{
    if (!m_tree.plan() || module >= m_tree.program().modules.size())
        return {};
    const std::vector<PlanRow>& rows = m_tree.decisions();
    const auto about = std::ranges::find_if(rows, [&](const PlanRow& row) {
        return isAbout(m_tree.program(), row, graph::ModuleId{module});
    });
    return about == rows.end()
               ? QModelIndex{}
               : indexOf({Kind::Decision, static_cast<int>(about - rows.begin())}, 0);
}

QStringList PlanModel::globsAt(const QModelIndex& index) const
{
    const PlanSpot spot = spotAt(index);
    if (spot.kind == Kind::Value)
        return {opGlob(m_tree.program(), m_tree.valueAt(spot).op)};
    const std::vector<const PlanRow*> rows = m_tree.rowsOf(spot);
    const bool isForAll = spot.kind == Kind::Group && m_tree.names()->coverAllBlocks(rows);
    QStringList globs;
    for (const PlanRow* row : rows)
        for (const QString& own : rowGlobs(*plan(), row->stretch.first, row->stretch.second)) {
            const QString glob = isForAll ? m_tree.names()->globForAllBlocks(own) : own;
            if (globs.size() < kMostGlobs && !globs.contains(glob))
                globs << glob;
        }
    return globs;
}

PlanSpot PlanModel::spotAt(const QModelIndex& index)
{
    PlanSpot spot{static_cast<Kind>(index.internalId() % kKinds),
                  static_cast<int>(index.internalId() / kKinds)};
    if (spot.kind == Kind::Value)
        spot.value = index.row();
    return spot;
}

QModelIndex PlanModel::indexOf(const PlanSpot& spot, int column) const
{
    switch (spot.kind) {
    case Kind::Group: return createIndex(m_tree.groupAt(spot).row, column, idOf(spot));
    case Kind::Decision: return createIndex(m_tree.placeOf(spot.number).row, column, idOf(spot));
    case Kind::Value: return createIndex(spot.value, column, idOf(spot));
    }
    return {};
}

QModelIndex PlanModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const auto at = static_cast<std::size_t>(row);
    if (!parent.isValid())
        return createIndex(row, column, idOf(m_tree.top()[at]));
    const PlanSpot around = spotAt(parent);
    return createIndex(row, column,
                       idOf(around.kind == Kind::Group
                                ? PlanSpot{Kind::Decision, m_tree.groupAt(around).rows[at]}
                                : PlanSpot{Kind::Value, around.number}));
}

QModelIndex PlanModel::parent(const QModelIndex& child) const
{
    if (!child.isValid())
        return {};
    const PlanSpot spot = spotAt(child);
    if (spot.kind == Kind::Value)
        return indexOf(PlanSpot{Kind::Decision, spot.number}, 0);
    const int group = spot.kind == Kind::Group ? -1 : m_tree.placeOf(spot.number).group;
    return group < 0 ? QModelIndex{} : indexOf(PlanSpot{Kind::Group, group}, 0);
}

int PlanModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_tree.top().size());
    const PlanSpot spot = spotAt(parent);
    if (parent.column() > 0 || spot.kind == Kind::Value)
        return 0;
    return static_cast<int>(spot.kind == Kind::Group ? m_tree.groupAt(spot).rows.size()
                                                     : m_tree.valuesOf(spot.number).size());
}

int PlanModel::columnCount(const QModelIndex& /*parent*/) const
{
    return ColumnCount;
}

/// Without making the values.
bool PlanModel::hasChildren(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return !m_tree.top().empty();
    const PlanSpot spot = spotAt(parent);
    return parent.column() == 0
           && (spot.kind == Kind::Group
               || (spot.kind == Kind::Decision && m_tree.rowAt(spot).hasValues));
}

QVariant PlanModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const PlanSpot spot = spotAt(index);
    const auto column = static_cast<PlanColumn>(index.column());
    const PlanRow& row = m_tree.rowAt(spot);
    const bool isValue = spot.kind == Kind::Value;
    switch (role) {
    case Qt::DisplayRole: return planCellText(m_tree, spot, column);
    case Qt::ToolTipRole: {
        const QString tip = planCellTip(m_tree, spot, column);
        return index.column() == SavedColumn && !isValue ? tip : plainTip(tip);
    }
    case Qt::TextAlignmentRole:
        return alignmentOf(kPlanColumns.at(static_cast<std::size_t>(index.column())).isNumber);
    case Qt::DecorationRole:
        if (index.column() != ModuleColumn || isValue)
            return {};
        return row.isRepeated ? icon(QStringLiteral("recompute"), Role::DecisionRecompute,
                                     Role::DecisionRecompute)
                              : icon(QStringLiteral("undo"));
    case FractionRole:
        return index.column() == SavedColumn ? static_cast<double>(savedAt(m_tree, spot).count())
                                                   / static_cast<double>(m_tree.mostSaved().count())
                                             : QVariant{};
    case LinkRole: return index.column() == SourceColumn && !sourceAt(m_tree, spot).isEmpty();
    case PathRole: return sourceAt(m_tree, spot);
    case FirstStepRole: return firstStepAt(spot);
    case ModuleRole:
        return row.first.module < 0 ? QVariant{}
                                    : QVariant{static_cast<qulonglong>(row.first.module)};
    case BlockLengthRole:
        return index.column() == ModuleColumn ? namePartsAt(m_tree, spot).block : 0;
    case CountLengthRole:
        return index.column() == ModuleColumn ? namePartsAt(m_tree, spot).count : 0;
    case KeyRole: return keyAt(spot);
    default: return {};
    }
}

int PlanModel::firstStepAt(const PlanSpot& spot) const
{
    if (spot.kind != Kind::Value)
        return m_tree.rowAt(spot).firstStep;
    return plan()->evaluation().schedule->stepOfOp[m_tree.valueAt(spot).op.index()];
}

QVariant PlanModel::keyAt(const PlanSpot& spot) const
{
    if (spot.kind == Kind::Value)
        return {};
    if (spot.kind == Kind::Group)
        return qint64{-1} - m_tree.groupAt(spot).key;
    const auto& [first, last] = m_tree.rowAt(spot).stretch;
    return (static_cast<qint64>(first) << 32) + last;
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headData(kPlanColumns, section, orientation, role);
}

} // namespace plimsoll::ui
