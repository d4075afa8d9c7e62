// SPDX-License-Identifier: Apache-2.0
#include "core/solve/regions/cuts.h"

#include "core/lower/checkpoint/model_code.h"
#include "core/solve/regions/savable.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace plimsoll::solve {

using graph::OpIndex;
using graph::StorageId;

namespace {

/// Repeatedly drops the least valuable cut.
class Thinning
{
public:
    explicit Thinning(const std::vector<CutCandidate>& candidates)
        : m_candidates{candidates}, m_worth(candidates.size(), 0)
    {
        for (std::size_t at = 0; at < candidates.size(); ++at) {
            m_saved.push_back(candidates[at].saved);
            m_previous.push_back(at == 0 ? 0 : at - 1);
            m_next.push_back(at + 1);
        }
        for (std::size_t at = 0; at < candidates.size(); ++at)
            rate(at);
    }

    [[nodiscard]] std::vector<std::size_t> run(std::size_t limit)
    {
        std::size_t left = m_candidates.size();
        for (; left > limit && !m_queue.empty(); --left) {
            const std::size_t at = m_queue.begin()->second;
            m_queue.erase(m_queue.begin());
            const std::size_t previous = m_previous[at];
            const std::size_t next = m_next[at];
            m_saved[previous] += m_saved[at];
            m_next[previous] = next;
            rate(previous);
            if (next < m_candidates.size()) {
                m_previous[next] = previous;
                rate(next);
            }
        }
        std::vector<std::size_t> kept;
        for (std::size_t at = 0; at < m_candidates.size(); at = m_next[at])
            kept.push_back(at);
        return kept;
    }

private:
    void rate(std::size_t at)
    {
        if (m_candidates[at].isFixed || at == 0)
            return;
        m_queue.erase({m_worth[at], at});
        const std::size_t previous = m_previous[at];
        const std::size_t next = m_next[at];
        std::int64_t cheaper = m_candidates[previous].crossing;
        if (next < m_candidates.size())
            cheaper = std::min(cheaper, m_candidates[next].crossing);
        m_worth[at] = std::min(m_saved[previous], m_saved[at])
                      - std::max<std::int64_t>(0, m_candidates[at].crossing - cheaper);
        m_queue.emplace(m_worth[at], at);
    }

    const std::vector<CutCandidate>& m_candidates;
    std::vector<std::int64_t> m_saved; ///< up to the next cut that is left
    std::vector<std::size_t> m_previous;
    std::vector<std::size_t> m_next;
    std::vector<std::int64_t> m_worth;
    std::set<std::pair<std::int64_t, std::size_t>> m_queue;
};

} // namespace

std::vector<std::size_t> thinned(const std::vector<CutCandidate>& candidates, std::size_t limit)
{
    if (candidates.empty())
        return {};
    return Thinning{candidates}.run(limit);
}

std::vector<std::size_t> spread(const std::vector<CutCandidate>& candidates, std::size_t limit)
{
    std::vector<std::size_t> kept;
    std::int64_t whole = 0;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        whole += candidates[at].saved;
        if (candidates[at].isFixed)
            kept.push_back(at);
    }
    if (kept.size() >= limit)
        return kept;
    std::vector<std::optional<std::size_t>> best(limit - kept.size()); // by part
    const std::int64_t share = whole / static_cast<std::int64_t>(best.size()) + 1;
    std::int64_t before = 0; // bytes saved before the candidate
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        std::optional<std::size_t>& cheapest = best[static_cast<std::size_t>(before / share)];
        before += candidates[at].saved;
        if (!candidates[at].isFixed
            && (!cheapest || candidates[at].crossing < candidates[*cheapest].crossing))
            cheapest = at;
    }
    for (const std::optional<std::size_t>& cheapest : best)
        if (cheapest)
            kept.push_back(*cheapest);
    std::sort(kept.begin(), kept.end());
    return kept;
}

Cuts::Cuts(const graph::Program& program, CutRule rule, std::size_t limit)
    : m_program{program}
    , m_forwardOps{static_cast<OpIndex>(program.forwardCount())}
    , m_lastUse{lastForwardUses(program)}
{
    if (rule == CutRule::Calls)
        chooseCalls(limit);
    else
        chooseOps(rule, limit);
}

/// An op that overwrites a value crossing the cut before it must not begin a stage.
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
    // The bytes saved inside each call tell where more cuts pay off.
    const std::vector<std::int64_t> savedBefore = savedBeforeOps();
    // All calls of one parent are cut together: outer levels first, then the parent that saves
    // most, then by position.
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
        // If not all cuts fit, take every n-th, so that the stages of a family stay alike.
        const std::size_t stride =
            (cuts.size() + limit - chosen.size() - 1) / (limit - chosen.size());
        std::size_t place = 0;
        for (const OpIndex cut : cuts)
            if (place++ % stride == 0 && chosen.size() < limit)
                chosen.insert(cut);
    }
    m_positions.assign(chosen.begin(), chosen.end());
}

/// An op that does no work (a view, an empty result) belongs to the stage of the next op.
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
