// SPDX-License-Identifier: Apache-2.0
#include "ui/models/live_tree.h"

#include "core/graph/module_tree.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/pin_globs.h"
#include "ui/models/program_texts.h"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace plimsoll::ui {

namespace {

constexpr int kNone = -1;

QString liveText(const char* text)
{
    return QCoreApplication::translate("Live", text);
}

/// The parameter that a storage belongs to, and its role: "", ", gradient", ", state 1".
struct Owner
{
    std::string_view name;
    QString part;
};

QString pathText(std::string_view path)
{
    return QString::fromUtf8(path.data(), static_cast<qsizetype>(path.size()));
}

/// Builds one tree.
class Grower
{
public:
    Grower(const plan::VerifiedPlan& plan, LiveGrouping grouping)
        : m_plan{plan}
        , m_program{*plan.problem().step()}
        , m_grouping{grouping}
        , m_modules{graph::moduleTree(m_program)}
        , m_moduleGroup(m_modules.nodes.size(), kNone)
    {
        indexProgram();
    }

    LiveTreePtr grow(std::size_t step, std::optional<StepRange> range) &&
    {
        m_tree.evaluation = m_plan.evaluationPtr();
        m_tree.step = step;
        const plan::Step& executed = m_tree.evaluation->schedule->steps[step];
        m_tree.place = executed.region >= 0
                           ? liveText("%1, recomputed").arg(opTitle(m_program, executed.op))
                           : opTitle(m_program, executed.op) + QStringLiteral(", ")
                                 + phaseText(m_program.op(executed.op).phase);
        for (const plan::Live& live : plan::liveAt(*m_tree.evaluation, step))
            if (!range || (live.maker && live.since >= range->begin && live.since <= range->end)) {
                add(live);
                m_tree.total += live.bytes;
            }
        sortAll();
        return std::make_shared<const LiveTree>(std::move(m_tree));
    }

private:
    void indexProgram();
    void add(const plan::Live& live);
    int attach(LiveNode node);
    [[nodiscard]] LiveNode& nodeAt(int node)
    {
        return m_tree.nodes[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] int groupOf(const plan::Live& live);
    [[nodiscard]] int moduleGroup(std::int32_t node);
    [[nodiscard]] int group(const QString& name, const QString& key, int parent,
                            std::optional<timeline::Category> category);
    [[nodiscard]] QString nameOf(const plan::Live& live, int group) const;
    [[nodiscard]] QString shapeOf(graph::StorageId storage) const;
    void sortAll();
    void sort(std::vector<int>& siblings);

    const plan::VerifiedPlan& m_plan;
    const graph::Program& m_program;
    LiveGrouping m_grouping;
    graph::ModuleTree m_modules;
    LiveTree m_tree;
    std::vector<Owner> m_owner;                       ///< by storage
    std::vector<int> m_tensorOf;                      ///< by storage: its first tensor
    std::vector<int> m_moduleGroup;                   ///< by node of the module tree
    std::unordered_map<int, std::string_view> m_path; ///< by node: path of its module
    QHash<QString, int> m_groups;                     ///< by key
};

void Grower::indexProgram()
{
    m_owner.resize(m_program.storages.size());
    for (std::size_t i = 0; i < m_program.storages.size(); ++i)
        if (const auto& names = m_program.storages[i].names; !names.empty())
            m_owner[i] = {names.front(), {}};
    for (const graph::Parameter& parameter : m_program.parameters) {
        if (parameter.gradient)
            m_owner[parameter.gradient->index()] = {parameter.name, liveText(", gradient")};
        for (std::size_t i = 0; i < parameter.states.size(); ++i)
            m_owner[parameter.states[i].index()] = {parameter.name,
                                                    liveText(", state %1").arg(i + 1)};
    }
    m_tensorOf.assign(m_program.storages.size(), kNone);
    for (std::size_t i = m_program.tensors.size(); i-- > 0;)
        m_tensorOf[m_program.tensors[i].storage.index()] = static_cast<int>(i);
}

/// Appends a node to its parent and returns its index.
int Grower::attach(LiveNode node)
{
    const auto index = static_cast<int>(m_tree.nodes.size());
    (node.parent == kNone ? m_tree.top : nodeAt(node.parent).children).push_back(index);
    m_tree.nodes.push_back(std::move(node));
    return index;
}

int Grower::group(const QString& name, const QString& key, int parent,
                  std::optional<timeline::Category> category)
{
    if (const auto known = m_groups.constFind(key); known != m_groups.constEnd())
        return *known;
    return *m_groups.insert(
        key,
        attach(
            {.name = name, .key = key, .category = category, .parent = parent, .isGroup = true}));
}

/// The group of a node of the module tree; -1: of what no called module has.
int Grower::moduleGroup(std::int32_t node)
{
    if (node < 0)
        return group(liveText("Outside of modules"), QStringLiteral("outside"), kNone, {});
    int& known = m_moduleGroup[static_cast<std::size_t>(node)];
    if (known != kNone)
        return known;
    const graph::ModuleNode& module = m_modules.nodes[static_cast<std::size_t>(node)];
    const std::string_view path = m_program.module(module.module).path;
    const int parent = module.parent < 0 ? kNone : moduleGroup(module.parent);
    const int made =
        group(fileText(module.name), QStringLiteral("module:") + pathText(path), parent, {});
    nodeAt(made).glob = pathText(path);
    nodeAt(made).module = module.module;
    m_path.emplace(made, path);
    return known = made;
}

int Grower::groupOf(const plan::Live& live)
{
    if (m_grouping == LiveGrouping::Class) {
        const auto category = static_cast<int>(live.category);
        return group(liveText(timeline::categoryName(live.category)),
                     QStringLiteral("class:%1").arg(category), kNone, live.category);
    }
    if (!live.storage)
        return kNone;
    return moduleGroup(m_modules.ofStorage[live.storage->index()]);
}

/// "8×1024×768"; empty for single values.
QString Grower::shapeOf(graph::StorageId storage) const
{
    const int tensor = m_tensorOf[storage.index()];
    QStringList sides;
    if (tensor != kNone)
        for (const std::int64_t side : m_program.tensors[static_cast<std::size_t>(tensor)].shape)
            sides << QString::number(side);
    return sides.join(QChar{u'×'});
}

QString Grower::nameOf(const plan::Live& live, int group) const
{
    if (!live.storage)
        return liveText("Reserve");
    const Owner& owner = m_owner[live.storage->index()];
    if (!owner.name.empty()) {
        std::string_view name = owner.name;
        if (const auto path = m_path.find(group); path != m_path.end())
            name = name.substr(path->second.size() + 1);
        return fileText(name) + owner.part;
    }
    const QString shape = shapeOf(*live.storage);
    const QString title = m_grouping == LiveGrouping::Module && live.maker
                              ? opTitle(m_program, *live.maker)
                              : storageTitle(m_program, *live.storage);
    return shape.isEmpty() ? title : title + QStringLiteral(" · ") + shape;
}

void Grower::add(const plan::Live& live)
{
    LiveNode node;
    node.parent = groupOf(live);
    node.name = nameOf(live, node.parent);
    node.exact = exactBytesText(live.bytes);
    node.bytes = live.bytes;
    node.category = live.category;
    if (!live.maker) {
        node.made = live.storage ? liveText("before the step") : liveText("set aside");
    } else {
        node.since = live.since;
        node.glob = opGlob(m_program, *live.maker);
        node.made = opTitle(m_program, *live.maker) + QStringLiteral(", ")
                    + (live.recomputed ? liveText("recomputed")
                                       : phaseText(m_program.op(*live.maker).phase));
    }
    for (int up = node.parent; up != kNone; up = nodeAt(up).parent)
        nodeAt(up).bytes += live.bytes;
    attach(std::move(node));
}

void Grower::sort(std::vector<int>& siblings)
{
    std::ranges::stable_sort(siblings, std::ranges::greater{},
                             [this](int node) { return nodeAt(node).bytes; });
    for (std::size_t row = 0; row < siblings.size(); ++row)
        nodeAt(siblings[row]).row = static_cast<int>(row);
}

void Grower::sortAll()
{
    sort(m_tree.top);
    for (LiveNode& node : m_tree.nodes) {
        sort(node.children);
        if (node.isGroup)
            node.exact = exactBytesText(node.bytes);
    }
}

} // namespace

LiveTreePtr liveTree(const plan::VerifiedPlan& plan, std::size_t step, LiveGrouping grouping,
                     std::optional<StepRange> range)
{
    return Grower{plan, grouping}.grow(step, range);
}

} // namespace plimsoll::ui
