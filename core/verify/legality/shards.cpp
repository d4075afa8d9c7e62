// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/shards.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace plimsoll::plan::verifying {

namespace {

using graph::CallId;
using graph::OpIndex;
using graph::Phase;
using graph::Program;
using graph::StorageId;

/// Records the op for storages that no later op touches.
void meet(const Program& program, OpIndex op, std::map<StorageId, Hooked>& byStorage)
{
    const graph::Op& row = program.op(graph::opAt(op));
    for (const std::vector<graph::TensorId>* list : {&row.outputs, &row.reads, &row.writes})
        for (std::size_t place = 0; place < list->size(); ++place) {
            const auto hooked = byStorage.find(program.tensor((*list)[place]).storage);
            if (hooked == byStorage.end() || hooked->second.at >= 0)
                continue;
            hooked->second.at = op;
            hooked->second.place = place;
        }
}

struct Family
{
    std::vector<CallId> calls;
    std::int64_t ops = 0;
    std::int64_t dots = 0; ///< in the path
};

/// Whether a module may be one of several alike: numbered, with submodules, and not just a list.
bool isBlock(const Program& program, graph::ModuleId id)
{
    const graph::Module& module = program.module(id);
    const bool isList = module.className == "Sequential" || module.className == "ModuleList"
                        || module.className == "ModuleDict";
    if (isList || module.path.empty() || module.path.back() < '0' || module.path.back() > '9')
        return false;
    return std::ranges::any_of(program.modules,
                               [id](const graph::Module& other) { return other.parent == id; });
}

std::vector<Family> familiesOf(const Program& program)
{
    using Kind = std::tuple<std::optional<CallId>, std::optional<graph::ModuleId>, std::string>;
    std::map<Kind, Family> kinds;
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
        const graph::Call& call = program.calls[i];
        if (call.last < call.first || program.op(graph::opAt(call.last)).phase > Phase::Loss
            || !isBlock(program, call.module))
            continue;
        const graph::Module& module = program.module(call.module);
        Family& family = kinds[{call.parent, module.parent, module.className}];
        if (family.calls.empty())
            family.dots = std::ranges::count(module.path, '.');
        family.calls.emplace_back(i);
        family.ops += call.last - call.first + 1;
    }
    std::vector<Family> families;
    for (auto& [kind, family] : kinds)
        if (family.calls.size() >= 2)
            families.push_back(std::move(family));
    return families;
}

/// The calls of the outermost families that are as deep as the largest of them.
std::vector<CallId> blocksOf(const Program& program)
{
    std::vector<Family> families = familiesOf(program);
    std::set<CallId> all;
    for (const Family& family : families)
        all.insert(family.calls.begin(), family.calls.end());
    const Family* largest = nullptr;
    std::vector<const Family*> outermost;
    for (const Family& family : families) {
        bool isInside = false;
        for (std::optional<CallId> up = program.call(family.calls.front()).parent; up;
             up = program.call(*up).parent)
            isInside = isInside || all.contains(*up);
        if (isInside)
            continue;
        outermost.push_back(&family);
        if (largest == nullptr || family.ops > largest->ops
            || (family.ops == largest->ops && family.calls.front() < largest->calls.front()))
            largest = &family;
    }
    std::vector<CallId> blocks;
    if (largest == nullptr)
        return blocks;
    for (const Family* family : outermost)
        if (family->dots == largest->dots)
            blocks.insert(blocks.end(), family->calls.begin(), family->calls.end());
    std::ranges::sort(blocks);
    return blocks;
}

class Grouping
{
public:
    Grouping(const Program& program, std::int64_t world)
        : m_program{program}, m_rows{program, world}
    {
        m_groups.emplace_back();
        m_groups.front().isRest = true;
        const auto forward = static_cast<OpIndex>(program.forwardCount());
        for (const graph::Call& call : program.calls)
            if (!call.parent && call.last >= call.first && call.last < forward)
                m_groups.front().calls.emplace_back(call.first, call.last);
        if (m_groups.front().calls.empty())
            m_groups.front().calls.emplace_back(0, forward - 1);
        for (const CallId call : blocksOf(program))
            groupAt(program.module(program.call(call).module).path)
                .calls.emplace_back(program.call(call).first, program.call(call).last);
        deal(world);
        follow();
    }

    std::vector<Group> take() &&
    {
        std::erase_if(m_groups, [](const Group& group) { return group.parameters.empty(); });
        return std::move(m_groups);
    }

private:
    Group& groupAt(const std::string& path)
    {
        const auto found = std::find_if(m_groups.begin() + 1, m_groups.end(),
                                        [&](const Group& group) { return group.path == path; });
        if (found != m_groups.end())
            return *found;
        m_groups.emplace_back();
        m_groups.back().path = path;
        return m_groups.back();
    }

    /// A block's parameters are named after it.
    Group& groupOf(std::size_t parameter)
    {
        const std::string& name = m_program.parameters[parameter].name;
        for (std::size_t i = 1; i < m_groups.size(); ++i)
            if (name.starts_with(m_groups[i].path + "."))
                return m_groups[i];
        return m_groups.front();
    }

    void deal(std::int64_t world)
    {
        std::set<StorageId> dealt;
        for (std::size_t i = 0; i < m_program.parameters.size(); ++i)
            if (dealt.insert(m_program.parameters[i].storage).second) {
                groupOf(i).parameters.push_back(i);
                groupOf(i).gathered += m_rows.ofAll(i) * world;
            }
        for (const Hooked& hooked : hooksOf(m_program)) {
            groupOf(hooked.parameter).hooks.push_back(hooked);
            groupOf(hooked.parameter).reduced += m_rows.ofAll(hooked.parameter) * world;
        }
    }

    /// The groups to which an op of backward belongs, the rest's group aside.
    [[nodiscard]] std::set<Group*> touchedBy(const graph::Op& op)
    {
        std::set<Group*> touched;
        for (Group& group : m_groups) {
            const bool runsNode =
                op.forwardOp && std::ranges::any_of(group.calls, [&](const auto& call) {
                    const auto at = static_cast<OpIndex>(op.forwardOp->index());
                    return call.first <= at && at <= call.second;
                });
            if (runsNode)
                touched.insert(&group);
        }
        for (const std::vector<graph::TensorId>* list : {&op.reads, &op.writes, &op.outputs})
            for (const graph::TensorId tensor : *list)
                if (const auto found = m_groupOfGradient.find(m_program.tensor(tensor).storage);
                    found != m_groupOfGradient.end())
                    touched.insert(found->second);
        return touched;
    }

    void follow()
    {
        for (Group& group : m_groups)
            for (const Hooked& hooked : group.hooks)
                m_groupOfGradient[hooked.storage] = &group;
        Group& rest = m_groups.front();
        for (std::size_t i = 0; i < m_program.ops.size(); ++i) {
            if (m_program.ops[i].phase != Phase::Backward)
                continue;
            const auto opIndex = static_cast<OpIndex>(i);
            for (Group* group : touchedBy(m_program.ops[i])) {
                for (Group* whose : {group, &rest})
                    if (whose->begin < 0)
                        whose->begin = opIndex;
                group->end = opIndex;
            }
            rest.end = std::max(rest.end, opIndex);
        }
        rest.end = static_cast<OpIndex>(m_program.countBeforeOptimizer()) - 1;
    }

    const Program& m_program;
    Rows m_rows;
    std::vector<Group> m_groups; ///< the rest first
    std::map<StorageId, Group*> m_groupOfGradient;
};

} // namespace

std::vector<Hooked> hooksOf(const Program& recorded)
{
    std::map<StorageId, Hooked> byStorage;
    for (std::size_t i = 0; i < recorded.parameters.size(); ++i)
        if (const auto gradient = recorded.parameters[i].gradient)
            byStorage.try_emplace(
                *gradient, Hooked{i, *gradient, recorded.storage(*gradient).bytes.count(), 0});
    std::set<StorageId> typed;
    for (const graph::Tensor& tensor : recorded.tensors)
        if (const auto hooked = byStorage.find(tensor.storage);
            hooked != byStorage.end() && typed.insert(tensor.storage).second)
            hooked->second.dtype = tensor.dtype;
    // Scanning from the end, the first op of backward found with a gradient is its last one.
    for (auto op = static_cast<OpIndex>(recorded.ops.size()); op-- > 0;)
        if (recorded.op(graph::opAt(op)).phase == graph::Phase::Backward)
            meet(recorded, op, byStorage);
    std::vector<Hooked> hooks;
    for (const auto& [storage, hooked] : byStorage)
        if (hooked.at >= 0)
            hooks.push_back(hooked);
    std::ranges::sort(hooks, {}, [](const Hooked& hooked) {
        return std::tuple{hooked.at, hooked.place, hooked.parameter};
    });
    return hooks;
}

Rows::Rows(const Program& recorded, std::int64_t world) : m_recorded{recorded}, m_world{world}
{
    for (const graph::Tensor& tensor : recorded.tensors)
        m_tensors.emplace(tensor.storage, &tensor);
}

std::int64_t Rows::of(std::size_t parameter, std::int64_t bytes) const
{
    const StorageId storage = m_recorded.parameters[parameter].storage;
    const std::int64_t whole = std::max<std::int64_t>(1, m_recorded.storage(storage).bytes.count());
    std::int64_t rows = whole; // in bytes if no shape is known
    std::int64_t elements = whole;
    if (const auto found = m_tensors.find(storage); found != m_tensors.end()
                                                    && !found->second->shape.empty()
                                                    && found->second->shape.front() > 0) {
        std::int64_t product = 1;
        for (const std::int64_t size : found->second->shape)
            product *= std::min(std::max<std::int64_t>(size, 1), whole);
        if (product <= whole && whole % product == 0) {
            rows = found->second->shape.front();
            elements = product;
        }
    }
    if (bytes % elements != 0)
        return bytes;
    const std::int64_t own = rows % m_world == 0 ? rows / m_world : rows / m_world + 1;
    return bytes / rows * own;
}

std::int64_t Rows::ofAll(std::size_t parameter) const
{
    return of(parameter,
              m_recorded.storage(m_recorded.parameters[parameter].storage).bytes.count());
}

std::vector<Group> groupsOf(const Program& recorded, std::int64_t world)
{
    return Grouping{recorded, world}.take();
}

} // namespace plimsoll::plan::verifying
