// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/solve_pack.h"

#include "core/base/try.h"
#include "core/solve/pack/decompose.h"
#include "core/solve/pack/greedy_orders.h"
#include "core/solve/pack/pack_check.h"
#include "core/solve/pack/portfolio.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

namespace plimsoll::solve {

namespace {

/// A node of a larger group takes too long, and each buffer adds a level to the recursion.
constexpr std::size_t kMostSearched = 100000;
constexpr int kAttempts = 6; ///< at different heights, for each number of nodes

constexpr int kAttemptsOfLarge = 24;         ///< of a large group, until this close:
constexpr std::int64_t kCloseToBound = 1000; ///< 1/1000 of the bound

/// The unit of which all useful heights are multiples. Requires at least one buffer.
std::int64_t unitOf(const PackBuffers& buffers)
{
    std::int64_t unit = 0;
    for (const PackBuffer& buffer : buffers)
        unit = std::gcd(unit, buffer.size);
    return unit;
}

PackBuffers inUnits(PackBuffers buffers, std::int64_t unit)
{
    for (PackBuffer& buffer : buffers)
        buffer.size /= unit;
    return buffers;
}

/// One part on its own: all its buffers take room, sizes are in units.
class PartMinimiser
{
public:
    explicit PartMinimiser(const PackBuffers& buffers)
        : m_unit{unitOf(buffers)}
        , m_rows{inUnits(buffers, m_unit)}
        , m_local(buffers.size())
        , m_bound{largestLiveSum(m_rows)}
    {
        std::iota(m_local.begin(), m_local.end(), 0U);
    }

    /// The proven lower bound of the height.
    [[nodiscard]] std::int64_t bound() const { return m_bound * m_unit; }

    /// Lowers a packing to `goal` or as far as the search gets: quickly while that is easy, then
    /// with more nodes, at heights between the last failure and the best packing.
    void lower(std::int64_t goal, Packed& packed, const PackQuery& query,
               const base::JobContext& context)
    {
        m_height = packed.height / m_unit;
        if (m_rows.size() > kMostInAllOrders) {
            lowerLarge(goal / m_unit, packed, query, context);
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
                if (!attemptAt(height, quotas[round], packed, query, context))
                    failed = height;
            }
        }
    }

private:
    /// Goes halfway down after each packing, halfway back up after each failure. A search with
    /// little backtracking also fails by bad luck, so a failed height may be retried with other
    /// variations after the next packing.
    void lowerLarge(std::int64_t goal, Packed& packed, const PackQuery& query,
                    const base::JobContext& context)
    {
        const std::int64_t low = std::max(goal, m_bound);
        std::int64_t failed = low;
        for (int attempt = 0; attempt < kAttemptsOfLarge; ++attempt) {
            const std::int64_t height = failed + (m_height - 1 - failed) / 2;
            if (m_height - low <= low / kCloseToBound || context.stopRequested())
                return;
            const std::size_t nodes = 1000 + 5 * m_rows.size() / 2;
            failed = attemptAt(height, nodes, packed, query, context) ? low : height;
            context.report(static_cast<std::size_t>(attempt) + 1,
                           static_cast<std::size_t>(kAttemptsOfLarge));
        }
    }

    bool attemptAt(std::int64_t height, std::size_t nodes, Packed& packed, const PackQuery& query,
                   const base::JobContext& context)
    {
        const SkylineAnswer answer = searchPortfolio(
            m_rows, m_local, {height, nodes, m_series++, query.threads}, context.stop);
        if (answer.verdict == SkylineVerdict::Impossible)
            m_bound = std::max(m_bound, height + 1);
        if (answer.verdict != SkylineVerdict::Packed)
            return false;
        m_height = heightOf(m_rows, answer.offsets);
        packed.height = m_height * m_unit;
        for (std::size_t k = 0; k < m_rows.size(); ++k)
            packed.offsets[k] = answer.offsets[k] * m_unit;
        return true;
    }

    std::int64_t m_unit;
    PackBuffers m_rows;
    std::vector<std::uint32_t> m_local; ///< 0, 1, …: rows are a group of their own
    std::int64_t m_bound;               ///< in units
    std::int64_t m_height = 0;          ///< in units
    std::uint64_t m_series = 0;         ///< of variations, for each attempt its own
};

struct RankedPart
{
    PackPart part;
    PackBuffers rows;
    std::int64_t height; ///< no packing is lower
};

/// By live bytes, highest first: later parts only have to match the height of earlier ones.
std::vector<RankedPart> highestFirst(const PackBuffers& buffers, const std::vector<PackPart>& parts)
{
    std::vector<RankedPart> ranked;
    for (const PackPart& part : parts) {
        RankedPart& each = ranked.emplace_back(RankedPart{part, {}, part.base});
        for (const std::uint32_t i : part.buffers)
            each.rows.push_back(buffers[i]);
        each.height += largestLiveSum(each.rows);
    }
    std::ranges::stable_sort(ranked, std::ranges::greater{}, &RankedPart::height);
    return ranked;
}

/// Packs each part down to the goal, or to the highest earlier part if that is higher. Returns the
/// proven lower bound over all parts.
std::int64_t packParts(const PackBuffers& buffers, const PackQuery& query, std::int64_t goal,
                       Decomposition& cut, const base::JobContext& context)
{
    std::int64_t bound = 0;
    int done = 0;
    for (const auto& [part, rows, height] : highestFirst(buffers, cut.parts)) {
        const base::JobContext piece = context.piece(done++, static_cast<int>(cut.parts.size()));
        const std::int64_t local = goal - part.base;
        const auto share = static_cast<double>(rows.size()) / static_cast<double>(buffers.size());
        const auto work = static_cast<std::uint64_t>(static_cast<double>(query.mostWork) * share);
        Packed packed = packGreedily(rows, {local, query.passes, work}, piece.piece(0, 2));
        if (packed.height > local && rows.size() <= kMostSearched && !piece.stopRequested()) {
            PartMinimiser minimiser{rows};
            minimiser.lower(local, packed, query, piece.piece(1, 2));
            bound = std::max(bound, part.base + minimiser.bound());
        }
        for (std::size_t row = 0; row < rows.size(); ++row)
            cut.offsets[part.buffers[row]] = part.base + packed.offsets[row];
        goal = std::max(goal, part.base + packed.height);
    }
    return bound;
}

Status statusOf(const PackAnswer& answer, const std::optional<std::int64_t>& capacity)
{
    if (capacity && answer.height > *capacity)
        return answer.lowerBound > *capacity ? Status::Infeasible : Status::NotFound;
    return answer.height == answer.lowerBound ? Status::Optimal : Status::Feasible;
}

} // namespace

base::Result<PackAnswer> solvePack(const PackBuffers& buffers, const PackQuery& query,
                                   const base::JobContext& context)
{
    RETURN_IF_ERROR(validate(buffers));
    PackAnswer answer;
    answer.lowerBound = largestLiveSum(buffers);
    const std::int64_t goal = std::max(answer.lowerBound, query.capacity.value_or(0));
    Decomposition cut = decompose(buffers);
    const std::int64_t proven = packParts(buffers, query, goal, cut, context);
    answer.lowerBound = std::max(answer.lowerBound, proven);
    answer.offsets = std::move(cut.offsets);
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
