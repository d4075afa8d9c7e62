// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/region_gains.h"

#include <algorithm>

namespace plimsoll::solve {

using graph::OpIndex;

RegionGains::RegionGains(const plan::Problem& problem, const LinearizedStep& step)
    : m_program{*problem.step()}, m_rounding{problem.rounding}, m_stages{step.stages.size()}
{
    for (std::size_t stage = 0; stage < m_stages; ++stage)
        m_stageOf.resize(static_cast<std::size_t>(step.stages[stage].last) + 1, stage);
    m_bytes.assign(m_stages * m_stages, 0);
    const std::vector<bool> isSaved = countSaved();
    for (std::size_t first = m_stages - 1; first-- > 0;) // what a later stage makes is inside
        for (std::size_t last = 0; last < m_stages; ++last)
            at(first, last) += at(first + 1, last);
    countArguments(isSaved);
    for (std::size_t first = 0; first < m_stages; ++first) // and what an earlier one uses last
        for (std::size_t last = 1; last < m_stages; ++last)
            at(first, last) += at(first, last - 1);
    findLastSaves(step);
}

RegionGain RegionGains::of(std::size_t first, std::size_t last) const
{
    return {m_bytes[first * m_stages + last], std::max(0.0, m_lastSave[last] - m_begin[first])};
}

std::int64_t RegionGains::bytesOf(const graph::Storage& storage) const
{
    return graph::rounded(storage.bytes, m_rounding).count();
}

/// Made by forward or loss and let go by the user's code before backward starts.
bool RegionGains::isInner(const graph::Storage& storage) const
{
    const auto ops = static_cast<OpIndex>(m_stageOf.size());
    return storage.alloc >= 0 && storage.alloc < ops && storage.pythonFree < ops;
}

/// A storage is spared by a region that makes it and holds all ops that save it. Returns, by
/// storage, whether any op does.
std::vector<bool> RegionGains::countSaved()
{
    std::vector<std::size_t> lastSaver(m_program.storages.size(), 0);
    std::vector<bool> isSaved(m_program.storages.size(), false);
    for (const graph::Saved& saved : m_program.saved) {
        const std::size_t storage = m_program.tensor(saved.tensor).storage.index();
        const std::size_t saver =
            saved.op.index() < m_stageOf.size() ? m_stageOf[saved.op.index()] : m_stages;
        isSaved[storage] = true;
        lastSaver[storage] = std::max(lastSaver[storage], saver);
    }
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        const graph::Storage& storage = m_program.storages[index];
        if (isSaved[index] && lastSaver[index] < m_stages && isInner(storage))
            at(stageAt(storage.alloc), lastSaver[index]) += bytesOf(storage);
    }
    return isSaved;
}

/// What a region takes in is kept for it, also where nobody saves it otherwise.
void RegionGains::countArguments(const std::vector<bool>& isSaved)
{
    std::vector<std::vector<std::size_t>> uses(m_program.storages.size());
    for (std::size_t op = 0; op < m_stageOf.size(); ++op)
        for (const graph::TensorId tensor : m_program.ops[op].reads)
            uses[m_program.tensor(tensor).storage.index()].push_back(m_stageOf[op]);
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        const graph::Storage& storage = m_program.storages[index];
        if (isSaved[index] || !isInner(storage))
            continue;
        std::size_t first = stageAt(storage.alloc) + 1;
        for (const std::size_t use : uses[index])
            for (; first <= use; ++first) // regions whose first use of it this is
                at(first, use) -= bytesOf(storage);
    }
}

void RegionGains::findLastSaves(const LinearizedStep& step)
{
    double begin = 0;
    double lastSave = 0;
    for (std::size_t stage = 0; stage < m_stages; ++stage) {
        if (step.stages[stage].lastSave)
            lastSave = begin + *step.stages[stage].lastSave;
        m_begin.push_back(begin);
        m_lastSave.push_back(lastSave);
        begin += step.chain.ftime[stage];
    }
}

} // namespace plimsoll::solve
