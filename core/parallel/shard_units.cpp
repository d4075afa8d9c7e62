// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/shard_units.h"

#include "core/base/format.h"
#include "core/graph/repeated_blocks.h"
#include "core/parallel/reduced_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageId;

class Units
{
public:
    Units(const Program& program, const std::vector<ReducedGradient>& gradients, std::int64_t world)
        : m_program{program}, m_gradients{gradients}, m_sizes{program, world}
    {
    }

    std::vector<ShardUnit> find() &&
    {
        addRoot();
        addBlocks();
        shareParameters();
        spanBackward();
        // A unit without parameters gathers nothing.
        std::erase_if(m_units, [](const ShardUnit& unit) { return unit.parameters.empty(); });
        return std::move(m_units);
    }

private:
    /// The calls of the model, or all of forward if it is never called.
    void addRoot()
    {
        ShardUnit root;
        root.isRoot = true;
        for (const graph::Call& call : m_program.calls)
            if (!call.parent && graph::isInForward(m_program, call))
                root.calls.emplace_back(call.first, call.last);
        if (root.calls.empty())
            root.calls.emplace_back(0, static_cast<OpIndex>(m_program.forwardCount()) - 1);
        m_units.push_back(std::move(root));
    }

    void addBlocks()
    {
        std::map<graph::ModuleId, std::size_t> unitOfModule;
        std::vector<graph::CallId> calls;
        for (const graph::Siblings& family : graph::repeatedBlocks(m_program))
            calls.insert(calls.end(), family.begin(), family.end());
        std::ranges::sort(calls);
        for (const graph::CallId id : calls) {
            const graph::Call& call = m_program.call(id);
            const auto [entry, isNew] = unitOfModule.try_emplace(call.module, m_units.size());
            if (isNew) {
                m_units.emplace_back();
                m_units.back().path = m_program.module(call.module).path;
            }
            m_units[entry->second].calls.emplace_back(call.first, call.last);
        }
    }

    void shareParameters()
    {
        std::set<StorageId> isThere;
        for (std::size_t index = 0; index < m_program.parameters.size(); ++index) {
            const graph::Parameter& parameter = m_program.parameters[index];
            if (!isThere.insert(parameter.storage).second)
                continue;
            ShardUnit& unit = m_units[unitOf(parameter.name)];
            unit.parameters.push_back(index);
            unit.gathered += m_sizes.padded(index);
        }
        for (std::size_t index = 0; index < m_gradients.size(); ++index) {
            const std::size_t parameter = m_gradients[index].parameter;
            ShardUnit& unit = m_units[unitOf(m_program.parameters[parameter].name)];
            unit.gradients.push_back(index);
            unit.reduced += m_sizes.padded(parameter);
        }
    }

    /// An op of backward belongs to a unit if the op of forward whose node it runs lies in one of
    /// the unit's calls, or if it touches one of its gradients. All of them belong to the root,
    /// which lasts to the end.
    void spanBackward()
    {
        const std::size_t forward = m_program.forwardCount();
        std::vector<std::size_t> unitOfOp(forward, 0);
        std::vector<bool> isModels(forward, false);
        for (std::size_t unit = 0; unit < m_units.size(); ++unit)
            for (const auto& [first, last] : m_units[unit].calls)
                for (OpIndex op = first; op <= last; ++op) {
                    unitOfOp[static_cast<std::size_t>(op)] = unit;
                    isModels[static_cast<std::size_t>(op)] = true;
                }
        std::map<StorageId, std::size_t> unitOfGradient;
        for (std::size_t unit = 0; unit < m_units.size(); ++unit)
            for (const std::size_t gradient : m_units[unit].gradients)
                unitOfGradient.emplace(m_gradients[gradient].storage, unit);
        const std::size_t end = m_program.countBeforeOptimizer();
        for (std::size_t op = forward; op < end; ++op) {
            const graph::Op& row = m_program.ops[op];
            const auto opIndex = static_cast<OpIndex>(op);
            if (row.forwardOp && row.forwardOp->index() < forward
                && isModels[row.forwardOp->index()]) {
                reach(m_units[0], opIndex);
                reach(m_units[unitOfOp[row.forwardOp->index()]], opIndex);
            }
            for (const std::vector<graph::TensorId>* tensors :
                 {&row.outputs, &row.reads, &row.writes})
                for (const graph::TensorId tensor : *tensors)
                    if (const auto unit = unitOfGradient.find(m_program.tensor(tensor).storage);
                        unit != unitOfGradient.end()) {
                        reach(m_units[0], opIndex);
                        reach(m_units[unit->second], opIndex);
                    }
        }
        m_units[0].reduce = static_cast<OpIndex>(end) - 1;
    }

    [[nodiscard]] std::size_t unitOf(std::string_view parameter) const
    {
        for (std::size_t unit = 1; unit < m_units.size(); ++unit)
            if (const std::string& path = m_units[unit].path;
                parameter.starts_with(path) && parameter.substr(path.size()).starts_with('.'))
                return unit;
        return 0;
    }

    static void reach(ShardUnit& unit, OpIndex op)
    {
        if (unit.backward == graph::kNever)
            unit.backward = op;
        unit.reduce = op;
    }

    const Program& m_program;
    const std::vector<ReducedGradient>& m_gradients;
    ShardSizes m_sizes;
    std::vector<ShardUnit> m_units;
};

} // namespace

ShardSizes::ShardSizes(const graph::Program& recorded, std::int64_t world)
    : m_program{recorded}, m_world{world}
{
    const std::vector<const graph::Tensor*> first = firstTensors(recorded);
    for (const graph::Parameter& parameter : recorded.parameters) {
        const graph::Tensor* tensor = first[parameter.storage.index()];
        const std::int64_t bytes = recorded.storage(parameter.storage).bytes.count();
        std::int64_t elements = 1;
        if (tensor != nullptr)
            for (const std::int64_t size : tensor->shape)
                elements *= std::clamp<std::int64_t>(size, 1, std::max<std::int64_t>(1, bytes));
        const bool isWhole = tensor != nullptr && !tensor->shape.empty() && tensor->shape[0] > 0
                             && elements <= bytes && bytes % elements == 0;
        // Its shape is unknown: treat it as a list of bytes.
        m_rows.push_back(isWhole ? tensor->shape[0] : std::max<std::int64_t>(1, bytes));
        m_elements.push_back(isWhole ? elements : std::max<std::int64_t>(1, bytes));
    }
}

base::Bytes ShardSizes::shard(std::size_t parameter) const
{
    return part(parameter, m_program.storage(m_program.parameters[parameter].storage).bytes);
}

base::Bytes ShardSizes::part(std::size_t parameter, base::Bytes bytes) const
{
    if (bytes.count() % m_elements[parameter] != 0)
        return bytes;
    const std::int64_t rows = m_rows[parameter];
    return base::Bytes{bytes.count() / rows * ((rows + m_world - 1) / m_world)};
}

std::vector<ShardUnit> shardUnits(const Program& recorded,
                                  const std::vector<ReducedGradient>& gradients, std::int64_t world)
{
    return Units{recorded, gradients, world}.find();
}

std::vector<std::size_t> backwardOrder(const std::vector<ShardUnit>& units)
{
    std::vector<std::size_t> order;
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        if (units[unit].backward != graph::kNever)
            order.push_back(unit);
    std::ranges::stable_sort(order, {}, [&](std::size_t unit) { return units[unit].backward; });
    return order;
}

std::vector<std::size_t> reductionOrder(const std::vector<ShardUnit>& units)
{
    std::vector<std::size_t> order = backwardOrder(units);
    std::ranges::stable_sort(order, {}, [&](std::size_t unit) { return units[unit].reduce; });
    return order;
}

std::vector<ForwardGather> forwardGathers(const std::vector<ShardUnit>& units,
                                          const DataParallel& setting)
{
    std::vector<ForwardGather> gathers;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const bool stays = units[unit].isRoot || setting.zero < 3;
        for (const auto& [first, last] : units[unit].calls) {
            gathers.push_back({unit, first, stays ? graph::kNever : last});
            if (stays)
                break;
        }
    }
    std::ranges::stable_sort(gathers, {}, &ForwardGather::first);
    return gathers;
}

OpIndex modelEnd(const Program& program)
{
    OpIndex end = -1;
    for (const graph::Call& call : program.calls)
        if (!call.parent && graph::isInForward(program, call))
            end = std::max(end, call.last);
    return end >= 0 ? end : static_cast<OpIndex>(program.forwardCount()) - 1;
}

base::Result<void> canShard(const Program& recorded)
{
    const std::vector<const graph::Tensor*> first = firstTensors(recorded);
    for (const graph::Parameter& parameter : recorded.parameters)
        if (const graph::Tensor* tensor = first[parameter.storage.index()];
            tensor != nullptr && tensor->shape.empty())
            return base::failure(
                base::ErrorKind::Usage,
                fmt::format("fully_shard (ZeRO-2 and ZeRO-3) doesn't support parameters without "
                            "dimensions: give {} one of size 1.",
                            base::printable(parameter.name, 60)));
    return {};
}

} // namespace plimsoll::plan
