// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/solve_pack.h"

#include "core/solve/pack/greedy_orders.h"
#include "core/solve/pack/pack_check.h"
#include "core/solve/pack/portfolio.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace plimsoll::solve {

namespace {

/// A node of a larger group takes long, and the search goes a level deeper with each buffer.
constexpr std::size_t kMostSearched = 100000;
constexpr int kAttempts = 6; ///< at different heights, for each number of nodes

constexpr int kAttemptsOfLarge = 24;         ///< of a large group, until this close:
constexpr std::int64_t kCloseToBound = 1000; ///< 1/1000 of the bound

using Group = std::vector<std::uint32_t>;

std::int64_t heightOfGroup(const PackBuffers& buffers, const Group& group,
                           const PackOffsets& offsets)
{
    std::int64_t height = 0;
    for (const std::uint32_t i : group)
        height = std::max(height, offsets[i] + buffers[i].size);
    return height;
}

std::int64_t unitOf(const PackBuffers& buffers, const Group& group)
{
    std::int64_t unit = 0;
    for (const std::uint32_t i : group)
        unit = std::gcd(unit, buffers[i].size);
    return unit;
}

PackBuffers inUnits(const PackBuffers& buffers, const Group& group, std::int64_t unit)
{
    PackBuffers rows;
    for (const std::uint32_t i : group)
        rows.push_back({buffers[i].lower, buffers[i].upper, buffers[i].size / unit});
    return rows;
}

/// One group by itself, sizes in units of their greatest common divisor: the heights of packings
/// worth looking at are whole numbers of it.
class GroupMinimiser
{
public:
    GroupMinimiser(const PackBuffers& buffers, const Group& group)
        : m_group{group}
        , m_unit{unitOf(buffers, group)}
        , m_rows{inUnits(buffers, group, m_unit)}
        , m_local(group.size())
        , m_bound{largestLiveSum(m_rows)}
    {
        std::iota(m_local.begin(), m_local.end(), 0U);
    }

    /// No packing of the group is lower, as far as is proven.
    [[nodiscard]] std::int64_t bound() const { return m_bound * m_unit; }

    /// Lowers the group in `offsets` to `goal` or as far as the search gets: quickly where that is
    /// easy, then with more nodes, at heights between what failed and what is known.
    void lower(std::int64_t goal, PackOffsets& offsets, const PackQuery& query,
               const base::JobContext& context)
    {
        for (std::size_t k = 0; k < m_group.size(); ++k)
            m_height = std::max(m_height, offsets[m_group[k]] / m_unit + m_rows[k].size);
        if (m_rows.size() > kMostInAllOrders) {
            lowerLarge(goal / m_unit, offsets, query, context);
            return;
        }
        const std::size_t quick = std::min(query.nodes, 1000 + 4 * m_rows.size());
        const std::array quotas{quick, std::min(query.nodes, 10 * quick), query.nodes};
        for (std::size_t round = 0; round < quotas.size(); ++round) {
            if (round > 0 && quotas[round] == quotas[round - 1])
                continue;
            std::int64_t failed = -1;
            for (int attempt = 0; attempt < kAttempts; ++attempt) {
                const std::int64_t low = std::max({goal / m_unit, m_bound, failed + 1});
                if (low >= m_height || context.stopRequested())
                    break;
                const std::int64_t height = attempt == 0 ? low : low + (m_height - 1 - low) / 2;
                if (!attemptAt(height, quotas[round], offsets, query, context))
                    failed = height;
            }
        }
    }

private:
    /// Halfway down after each packing, halfway back up after each failure. Whether a height works
    /// out for a search that hardly goes back is luck as well: so one that failed may be tried
    /// again with other variations, from the next packing on.
    void lowerLarge(std::int64_t goal, PackOffsets& offsets, const PackQuery& query,
                    const base::JobContext& context)
    {
        const std::int64_t low = std::max(goal, m_bound);
        std::int64_t failed = low;
        for (int attempt = 0; attempt < kAttemptsOfLarge; ++attempt) {
            const std::int64_t height = failed + (m_height - 1 - failed) / 2;
            if (m_height - low <= low / kCloseToBound || context.stopRequested())
                return;
            const std::size_t nodes = 1000 + 5 * m_rows.size() / 2;
            failed = attemptAt(height, nodes, offsets, query, context) ? low : height;
            context.report(static_cast<std::size_t>(attempt) + 1,
                           static_cast<std::size_t>(kAttemptsOfLarge));
        }
    }

    bool attemptAt(std::int64_t height, std::size_t nodes, PackOffsets& offsets,
                   const PackQuery& query, const base::JobContext& context)
    {
        const PortfolioAnswer answer = searchPortfolio(
            m_rows, m_local, {height, nodes, m_series++, query.threads}, context.stop);
        if (answer.verdict == SkylineVerdict::Impossible)
            m_bound = std::max(m_bound, height + 1);
        if (answer.verdict != SkylineVerdict::Packed)
            return false;
        m_height = heightOf(m_rows, answer.offsets);
        for (std::size_t k = 0; k < m_group.size(); ++k)
            offsets[m_group[k]] = answer.offsets[k] * m_unit;
        return true;
    }

    const Group& m_group;
    std::int64_t m_unit;
    PackBuffers m_rows;
    std::vector<std::uint32_t> m_local; ///< 0, 1, …: rows are a group of their own
    std::int64_t m_bound;               ///< in units
    std::int64_t m_height = 0;          ///< in units
    std::uint64_t m_series = 0;         ///< of variations, for each attempt its own
};

/// Only the highest group counts: the others need to be no lower.
std::int64_t lowerGroups(const PackBuffers& buffers, const PackQuery& query, std::int64_t goal,
                         PackOffsets& offsets, const base::JobContext& context)
{
    std::vector<Group> groups = independentGroups(buffers);
    const auto heightIn = [&](const Group& group) {
        return heightOfGroup(buffers, group, offsets);
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const Group& a, const Group& b) { return heightIn(a) > heightIn(b); });
    std::int64_t bound = 0;
    for (std::size_t i = 0; i < groups.size() && !context.stopRequested(); ++i) {
        if (heightIn(groups[i]) > goal && groups[i].size() <= kMostSearched) {
            GroupMinimiser minimiser{buffers, groups[i]};
            minimiser.lower(goal, offsets, query, context);
            bound = std::max(bound, minimiser.bound());
        }
        goal = std::max(goal, heightIn(groups[i]));
        context.report(i + 1, groups.size());
    }
    return bound;
}

/// Buffers that are live as long as any is, such as parameters, side by side at the bottom: moving
/// them there makes no packing higher, and what is left falls into groups.
struct Ground
{
    std::int64_t height = 0;
    std::vector<std::uint32_t> rest; ///< the other buffers
};

Ground layGround(const PackBuffers& buffers, PackOffsets& offsets)
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const PackBuffer& buffer : buffers)
        if (buffer.size > 0) {
            first = std::min(first, buffer.lower);
            last = std::max(last, buffer.upper);
        }
    Ground ground;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].size == 0 || buffers[i].lower > first || buffers[i].upper < last) {
            ground.rest.push_back(static_cast<std::uint32_t>(i));
        } else {
            offsets[i] = ground.height;
            ground.height += buffers[i].size;
        }
    }
    return ground;
}

PackStatus statusOf(const PackAnswer& answer, const std::optional<std::int64_t>& capacity)
{
    if (capacity && answer.height > *capacity)
        return answer.lowerBound > *capacity ? PackStatus::Infeasible : PackStatus::NotFound;
    return answer.height == answer.lowerBound ? PackStatus::Optimal : PackStatus::Feasible;
}

} // namespace

std::string_view statusText(PackStatus status)
{
    switch (status) {
    case PackStatus::Optimal: return "optimal";
    case PackStatus::Feasible: return "feasible";
    case PackStatus::Infeasible: return "infeasible";
    case PackStatus::NotFound: break;
    }
    return "not_found";
}

base::Result<PackAnswer> solvePack(const PackBuffers& buffers, const PackQuery& query,
                                   const base::JobContext& context)
{
    if (base::Result<void> valid = validate(buffers); !valid)
        return tl::unexpected{valid.error()};
    PackAnswer answer;
    answer.offsets.assign(buffers.size(), 0);
    const Ground ground = layGround(buffers, answer.offsets);
    PackBuffers rest;
    for (const std::uint32_t i : ground.rest)
        rest.push_back(buffers[i]);
    answer.lowerBound = largestLiveSum(rest);
    const std::int64_t goal =
        std::max(answer.lowerBound, query.capacity.value_or(0) - ground.height);
    Packed packed = packGreedily(rest, {goal, query.passes, query.mostWork}, context.piece(0, 2));
    const std::int64_t proven = lowerGroups(rest, query, goal, packed.offsets, context.piece(1, 2));
    answer.lowerBound = ground.height + std::max(answer.lowerBound, proven);
    for (std::size_t k = 0; k < rest.size(); ++k)
        answer.offsets[ground.rest[k]] = ground.height + packed.offsets[k];
    const base::Result<std::int64_t> height = checkPacking(buffers, answer.offsets);
    if (!height)
        return base::failure(base::ErrorKind::Internal,
                             "The packing is wrong: " + height.error().message);
    answer.height = *height;
    answer.stopped = context.stopRequested();
    answer.status = statusOf(answer, query.capacity);
    return answer;
}

} // namespace plimsoll::solve
