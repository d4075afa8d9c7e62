// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/cuts.h"

#include "core/lower/checkpoint/model_code.h"
#include "core/solve/regions/thinning.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace plimsoll::solve {

using graph::OpIndex;
using graph::StorageId;

Cuts::Cuts(const graph::Program& program, CutRule rule, std::size_t limit)
    : m_program{program}
    , m_forwardOps{static_cast<OpIndex>(program.forwardCount())}
    , m_lastUse(program.storages.size(), graph::kBeforeStep)
{
    for (OpIndex at = 0; at < m_forwardOps; ++at) {
        const graph::Op& op = program.ops[static_cast<std::size_t>(at)];
        for (const std::vector<graph::TensorId>* tensors : {&op.reads, &op.writes, &op.outputs})
            for (const graph::TensorId tensor : *tensors)
                m_lastUse[program.tensor(tensor).storage.index()] = at;
    }
    if (rule == CutRule::Calls)
        chooseCalls(limit);
    else
        chooseOps(rule, limit);
}

/// An op that overwrites what crosses the cut in front of it must not begin a stage.
bool Cuts::mayCut(OpIndex cut) const
{
    if (cut <= 0 || cut >= m_forwardOps)
        return false;
    const graph::Op& op = m_program.ops[static_cast<std::size_t>(cut)];
    return std::none_of(op.writes.begin(), op.writes.end(), [&](graph::TensorId tensor) {
        return crosses(m_program.tensor(tensor).storage.index(), cut);
    });
}

std::vector<std::int64_t> Cuts::savedBeforeOps() const
{
    std::vector<std::int64_t> savedBefore(static_cast<std::size_t>(m_forwardOps) + 1, 0);
    for (const graph::Saved& saved : m_program.saved)
        if (saved.op.index() < static_cast<std::size_t>(m_forwardOps))
            savedBefore[saved.op.index() + 1] += m_program.storageOf(saved.tensor).bytes.count();
    for (std::size_t op = 1; op < savedBefore.size(); ++op)
        savedBefore[op] += savedBefore[op - 1];
    return savedBefore;
}

Cuts::Families Cuts::families() const
{
    // Bytes saved inside each call say where more cuts are worth their price.
    const std::vector<std::int64_t> savedBefore = savedBeforeOps();
    // Calls of one parent are cut together: depth first, then the parent that saves most, then its
    // place.
    std::vector<int> depth(m_program.calls.size(), 0);
    Families families;
    for (std::size_t index = 0; index < m_program.calls.size(); ++index) {
        const graph::Call& call = m_program.calls[index];
        if (call.parent)
            depth[index] = depth[call.parent->index()] + 1;
        if (call.isEmpty() || call.last >= m_forwardOps)
            continue;
        const graph::Call& around = call.parent ? m_program.call(*call.parent) : call;
        const std::int64_t saved = savedBefore[static_cast<std::size_t>(around.last) + 1]
                                   - savedBefore[static_cast<std::size_t>(around.first)];
        const std::size_t parent = call.parent ? call.parent->index() + 1 : 0;
        for (const OpIndex cut : {call.first, call.last + 1})
            if (mayCut(cut))
                families[{depth[index], -saved, parent}].insert(cut);
    }
    return families;
}

void Cuts::chooseCalls(std::size_t limit)
{
    std::set<OpIndex> chosen{0};
    for (const auto& [key, cuts] : families()) {
        if (chosen.size() >= limit)
            break;
        // Where not all have room, every n-th keeps the stages of a family alike.
        const std::size_t stride =
            (cuts.size() + limit - chosen.size() - 1) / (limit - chosen.size());
        std::size_t place = 0;
        for (const OpIndex cut : cuts)
            if (place++ % stride == 0 && chosen.size() < limit)
                chosen.insert(cut);
    }
    m_positions.assign(chosen.begin(), chosen.end());
}

/// An op without work of its own (a view, an empty result) begins the stage of the next one.
bool Cuts::isIdle(OpIndex at) const
{
    const graph::Op& op = m_program.ops[static_cast<std::size_t>(at)];
    return op.isView || (op.flops == 0 && op.bytesMoved.count() == 0 && !op.measured);
}

std::vector<std::int64_t> Cuts::crossingBytes() const
{
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(m_forwardOps) + 2, 0);
    for (std::size_t storage = 0; storage < m_program.storages.size(); ++storage) {
        const OpIndex begin = std::max(m_program.storages[storage].alloc + 1, 0);
        if (begin >= m_forwardOps || !crosses(storage, begin))
            continue;
        const auto end = static_cast<std::size_t>(m_lastUse[storage]) + 1;
        bytes[static_cast<std::size_t>(begin)] += m_program.storages[storage].bytes.count();
        bytes[end] -= m_program.storages[storage].bytes.count();
    }
    for (std::size_t cut = 1; cut < bytes.size(); ++cut)
        bytes[cut] += bytes[cut - 1];
    return bytes;
}

void Cuts::chooseOps(CutRule rule, std::size_t limit)
{
    const plan::ModelCode code{m_program};
    std::vector<OpIndex> places{0};
    for (OpIndex cut = std::max(code.first(), 1); cut <= code.last() + 1; ++cut) {
        const bool isEdge = cut == code.first() || cut == code.last() + 1;
        if (mayCut(cut) && (isEdge || !isIdle(cut - 1)))
            places.push_back(cut);
    }
    const std::vector<std::int64_t> crossing = crossingBytes();
    const std::vector<std::int64_t> saved = savedBeforeOps();
    std::vector<CutCandidate> candidates;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto begin = static_cast<std::size_t>(places[i]);
        const auto end =
            static_cast<std::size_t>(i + 1 < places.size() ? places[i + 1] : m_forwardOps);
        const bool isEdge = places[i] == code.first() || places[i] == code.last() + 1;
        candidates.push_back({crossing[begin], saved[end] - saved[begin], i == 0 || isEdge});
    }
    for (const std::size_t kept :
         rule == CutRule::Ops ? thinned(candidates, limit) : spread(candidates, limit))
        m_positions.push_back(places[kept]);
}

bool Cuts::crosses(std::size_t storageIndex, OpIndex cut) const
{
    const graph::Storage& storage = m_program.storages[storageIndex];
    if (storage.alloc >= cut || m_lastUse[storageIndex] < cut)
        return false;
    return storage.alloc >= 0 || storage.free != graph::kNever
           || (cut == 0 && storage.storageClass == graph::StorageClass::Input);
}

std::vector<StorageId> Cuts::crossing(OpIndex cut) const
{
    std::vector<StorageId> storages;
    for (std::size_t storage = 0; storage < m_program.storages.size(); ++storage)
        if (crosses(storage, cut))
            storages.emplace_back(storage);
    return storages;
}

} // namespace plimsoll::solve
