// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/single_level.h"

#include <algorithm>
#include <limits>

namespace plimsoll::solve {

using graph::OpIndex;

RegionGains::RegionGains(const plan::Problem& problem, const LinearizedStep& step)
    : m_program{*problem.step()}, m_rounding{problem.rounding}, m_stages{step.stages.size()}
{
    for (std::size_t stage = 0; stage < m_stages; ++stage)
        m_stageOf.resize(static_cast<std::size_t>(step.stages[stage].last) + 1, stage);
    m_bytes.assign(m_stages * m_stages, 0);
    const std::vector<bool> isSaved = countSaved();
    for (std::size_t first = m_stages - 1; first-- > 0;) // a region includes its later stages
        for (std::size_t last = 0; last < m_stages; ++last)
            at(first, last) += at(first + 1, last);
    countArguments(isSaved);
    for (std::size_t first = 0; first < m_stages; ++first) // and last uses in its earlier stages
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

/// Allocated in forward or loss and released by the user's code before backward starts.
bool RegionGains::isInner(const graph::Storage& storage) const
{
    const auto ops = static_cast<OpIndex>(m_stageOf.size());
    return storage.alloc >= 0 && storage.alloc < ops && storage.pythonFree < ops;
}

/// A region frees a storage if it contains its allocation and all ops that save it. Returns, by
/// storage, whether any op saves it.
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

/// A region keeps its inputs for its recomputation, even if no op saves them.
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
            for (; first <= use; ++first) // regions in which this is the first use
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

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
/// Buckets for sums of bytes. The sums stay exact and are only sorted into buckets, so the loss is
/// at most a choice that frees less than one bucket more.
constexpr std::size_t kBuckets = 8192;

/// Disjoint runs within the first stages, linked from the last one to the first.
struct Choice
{
    double time = kImpossible; ///< of the recomputed forwards
    std::int64_t bytes = 0;    ///< spared
    std::int32_t first = -1;   ///< of its last run, which ends where the row does; -1: none ends
                               ///< there, the row before has the same choice
    std::int32_t bucket = 0;   ///< of the rest, in the row of `first`
};

/// The best choices by number of stages covered and bytes freed.
class Knapsack
{
public:
    Knapsack(const LinearizedStep& step, const RegionGains& gains)
        : m_step{step}, m_gains{gains}, m_unit{mostSpared() / static_cast<int>(kBuckets) + 1}
    {
    }

    [[nodiscard]] bool fill(const base::JobContext& job)
    {
        const std::size_t stages = m_step.stages.size();
        m_rows.reserve(stages + 1); // references to rows stay valid
        m_rows.emplace_back(kBuckets).front().time = 0.0;
        for (std::size_t last = 0; last < stages && !job.stopRequested(); ++last) {
            addRunsUpTo(last);
            job.report(last + 1, stages);
        }
        return m_rows.size() == stages + 1;
    }

    [[nodiscard]] std::vector<std::vector<Region>> choices() const
    {
        std::vector<std::vector<Region>> found;
        double least = kImpossible;
        for (std::size_t bucket = kBuckets; bucket-- > 1;) {
            if (!(m_rows.back()[bucket].time < least))
                continue; // another choice frees more and is no slower
            least = m_rows.back()[bucket].time;
            found.push_back(regionsOf(bucket));
        }
        std::reverse(found.begin(), found.end());
        return found;
    }

private:
    [[nodiscard]] std::int64_t mostSpared() const
    {
        std::vector<std::int64_t> most(m_step.stages.size() + 1, 0);
        for (std::size_t last = 0; last < m_step.stages.size(); ++last) {
            most[last + 1] = most[last];
            for (std::size_t first = 0; first <= last; ++first)
                most[last + 1] = std::max(most[last + 1], most[first] + gainOf(first, last).spared);
        }
        return most.back();
    }

    /// No gain: either not a legal region, or one that frees nothing.
    [[nodiscard]] RegionGain gainOf(std::size_t first, std::size_t last) const
    {
        if (!m_step.chain.regions.mayCheckpoint(first, last))
            return {};
        const RegionGain gain = m_gains.of(first, last);
        return gain.spared > 0 ? gain : RegionGain{};
    }

    void addRunsUpTo(std::size_t last)
    {
        std::vector<Choice>& row = m_rows.emplace_back(m_rows.back());
        for (Choice& choice : row)
            choice.first = -1;
        for (std::size_t first = 0; first <= last; ++first) {
            const RegionGain gain = gainOf(first, last);
            if (gain.spared == 0)
                continue;
            for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
                const Choice& rest = m_rows[first][bucket];
                if (!(rest.time < kImpossible))
                    continue;
                const Choice together{rest.time + gain.time, rest.bytes + gain.spared,
                                      static_cast<std::int32_t>(first),
                                      static_cast<std::int32_t>(bucket)};
                Choice& best = row[static_cast<std::size_t>(together.bytes / m_unit)];
                if (together.time < best.time
                    || (together.time == best.time && together.bytes > best.bytes))
                    best = together;
            }
        }
    }

    [[nodiscard]] std::vector<Region> regionsOf(std::size_t bucket) const
    {
        std::vector<Region> regions;
        for (std::size_t covered = m_rows.size() - 1; covered > 0;) {
            const Choice& choice = m_rows[covered][bucket];
            if (choice.first < 0) {
                --covered;
                continue;
            }
            regions.push_back({.label = 0,
                               .first = choice.first,
                               .last = static_cast<int>(covered) - 1,
                               .nested = {}});
            covered = static_cast<std::size_t>(choice.first);
            bucket = static_cast<std::size_t>(choice.bucket);
        }
        std::reverse(regions.begin(), regions.end());
        return regions;
    }

    const LinearizedStep& m_step;
    const RegionGains& m_gains;
    std::int64_t m_unit;                     ///< bytes of a bucket
    std::vector<std::vector<Choice>> m_rows; ///< [stages covered][bucket]
};

} // namespace

std::vector<std::vector<Region>> singleLevelRegions(const plan::Problem& problem,
                                                    const LinearizedStep& step,
                                                    const base::JobContext& job)
{
    const RegionGains gains{problem, step};
    Knapsack knapsack{step, gains};
    return knapsack.fill(job) ? knapsack.choices() : std::vector<std::vector<Region>>{};
}

} // namespace plimsoll::solve
