// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/single_level.h"

#include "core/solve/chain/region_gains.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace plimsoll::solve {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Amounts of bytes that are told apart. Sums are exact and only sorted into these, so what is lost
/// is a choice that spares less than one bucket more.
constexpr std::size_t kBuckets = 8192;

/// Disjoint runs within the first stages, as a list from the last one back.
struct Choice
{
    double time = kInfinity; ///< of the forwards repeated
    std::int64_t bytes = 0;  ///< spared
    std::int32_t first = -1; ///< of its last run, which ends where the row does; -1: none ends
                             ///< there, the row before has the same choice
    std::int32_t bucket = 0; ///< of the rest, in the row of `first`
};

/// Best choices by stages covered and bytes spared.
class Knapsack
{
public:
    Knapsack(const LinearizedStep& step, const RegionGains& gains)
        : m_step{step}, m_gains{gains}, m_unit{mostSpared() / static_cast<int>(kBuckets) + 1}
    {
    }

    [[nodiscard]] bool fill(const base::JobContext& job);
    [[nodiscard]] std::vector<std::vector<Region>> choices() const;

private:
    [[nodiscard]] std::int64_t mostSpared() const;
    [[nodiscard]] RegionGain gainOf(std::size_t first, std::size_t last) const;
    void addRunsUpTo(std::size_t last);
    [[nodiscard]] std::vector<Region> regionsOf(std::size_t bucket) const;

    const LinearizedStep& m_step;
    const RegionGains& m_gains;
    std::int64_t m_unit;                     ///< bytes of a bucket
    std::vector<std::vector<Choice>> m_rows; ///< [stages covered][bucket]
};

/// Spares nothing: not a region, or one that brings nothing.
RegionGain Knapsack::gainOf(std::size_t first, std::size_t last) const
{
    if (!m_step.chain.regions.mayCheckpoint(first, last))
        return {};
    const RegionGain gain = m_gains.of(first, last);
    return gain.spared > 0 ? gain : RegionGain{};
}

std::int64_t Knapsack::mostSpared() const
{
    std::vector<std::int64_t> most(m_step.stages.size() + 1, 0);
    for (std::size_t last = 0; last < m_step.stages.size(); ++last) {
        most[last + 1] = most[last];
        for (std::size_t first = 0; first <= last; ++first)
            most[last + 1] = std::max(most[last + 1], most[first] + gainOf(first, last).spared);
    }
    return most.back();
}

void Knapsack::addRunsUpTo(std::size_t last)
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
            if (!(rest.time < kInfinity))
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

bool Knapsack::fill(const base::JobContext& job)
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

std::vector<Region> Knapsack::regionsOf(std::size_t bucket) const
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

std::vector<std::vector<Region>> Knapsack::choices() const
{
    std::vector<std::vector<Region>> found;
    double least = kInfinity;
    for (std::size_t bucket = kBuckets; bucket-- > 1;) {
        if (!(m_rows.back()[bucket].time < least))
            continue; // another one spares more and is no slower
        least = m_rows.back()[bucket].time;
        found.push_back(regionsOf(bucket));
    }
    std::reverse(found.begin(), found.end());
    return found;
}

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
