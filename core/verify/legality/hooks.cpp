// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/hooks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace plimsoll::plan::verifying {

namespace {

using graph::Op;
using graph::OpIndex;
using graph::Program;
using graph::StorageId;
using graph::TensorId;

/// Notes the op in what no later one touches.
void meet(const Program& program, OpIndex op, std::map<StorageId, Hooked>& byStorage)
{
    const Op& row = program.op(graph::opAt(op));
    for (const std::vector<TensorId>* list : {&row.outputs, &row.reads, &row.writes})
        for (std::size_t place = 0; place < list->size(); ++place) {
            const auto hooked = byStorage.find(program.tensor((*list)[place]).storage);
            if (hooked == byStorage.end() || hooked->second.at >= 0)
                continue;
            hooked->second.at = op;
            hooked->second.place = place;
        }
}

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
    // From the end: the first op of backward that is met with a gradient is its last one.
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

} // namespace plimsoll::plan::verifying
