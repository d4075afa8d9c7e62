// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"
#include "core/solve/chain/rotor/chain_table.h"
#include "core/solve/chain/rotor/rotor_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <optional>
#include <system_error>
#include <thread>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::JobContext;
using base::Result;

namespace {

/// Below this many inner steps threads cost more than they gain.
constexpr double kStepsWorthThreads = 2e6;
/// Side length, in cells, of the squares in which the table is filled.
constexpr std::size_t kTile = 8;

/// A stage without a measured time costs a tiny share of the total to recompute, so that nothing is
/// recomputed just because it looks free.
double unmeasuredTime(const Chain& chain)
{
    constexpr double kShare = 1e-9;
    const double whole = baseTime(chain);
    return (whole > 0 ? whole : 1.0) * kShare / static_cast<double>(chain.stages());
}

/// Filled square by square, by several threads where that pays off.
class RotorTable final : public ChainTable
{
public:
    /// Allocates the table and fills it.
    Result<void> build(const Chain& chain, std::int64_t maxBudget, const RotorOptions& options,
                       const JobContext& job)
    {
        m_options = options;
        if (options.recurrence == Recurrence::Peer)
            m_options.ties = TieRule::LeafSmallest;
        RETURN_IF_ERROR(allocate(chain, maxBudget, options, 1, {&m_lo, &m_hi, &m_leafNeed}));
        m_running.resize(m_rows);
        sumForwards(m_options.ties == TieRule::ChainLowMemory ? unmeasuredTime(m_chain) : 0.0);
        const auto rows = static_cast<double>(m_rows);
        const double steps = rows * rows * rows / 6 * static_cast<double>(m_stride);
        const int wanted = options.threads > 0
                               ? options.threads
                               : static_cast<int>(std::thread::hardware_concurrency());
        const int useful = static_cast<int>(std::min<std::size_t>(m_rows, 64));
        fill(steps < kStepsWorthThreads ? 1 : std::clamp(wanted, 1, useful), job);
        if (job.stopRequested())
            return base::cancelled();
        return {};
    }

private:
    /// The first move in a cell.
    struct Choice
    {
        std::optional<std::size_t> leaf; ///< its j; none: stage i saves
        std::size_t variant = 0;         ///< how
    };

    [[nodiscard]] std::int64_t chainNeed(std::size_t i, std::size_t k, std::size_t variant) const
    {
        if (m_options.recurrence == Recurrence::Peer)
            return m_leafNeed[cell(i, k)];
        const StageVariant sizes = m_scale.sizes.variant(i, variant);
        const std::vector<std::int64_t>& x = m_scale.sizes.x;
        return m_scale.ceilSlots(sizes.xbar
                                 + std::max(x[k + 1] + sizes.ftmp, x[i + 1] + sizes.btmp));
    }

    [[nodiscard]] double chainValue(std::size_t i, std::size_t k, std::size_t variant,
                                    std::int64_t slots) const
    {
        const std::int64_t rest = slots - m_scale.ceilSlots(m_scale.sizes.variant(i, variant).xbar);
        if (slots < chainNeed(i, k, variant) || rest < 0)
            return kInfinity;
        const StageVariant times = m_chain.variant(i, variant);
        const double own =
            m_options.recurrence == Recurrence::Peer ? row(i, i)[slots] : times.ftime + times.btime;
        return own + row(i + 1, k)[rest];
    }

    [[nodiscard]] double leafValue(std::size_t i, std::size_t j, std::size_t k,
                                   std::int64_t slots) const
    {
        const std::int64_t rest = slots - m_scale.x[j];
        if (slots < m_leafNeed[cell(i, k)] || rest < 0 || !m_chain.regions.mayCheckpoint(i, j - 1))
            return kInfinity;
        return ((m_prefix[j] - m_prefix[i]) + row(j, k)[rest]) + row(i, j - 1)[slots];
    }

    void fillBase(std::size_t i)
    {
        const auto width = static_cast<std::int64_t>(m_stride);
        std::int64_t lowest = width;
        std::pair<double, std::int64_t> fastest{kInfinity, width};
        for (std::size_t variant = 0; variant < variantsIn(i, i); ++variant) {
            const auto [need, time] = baseOf(i, variant);
            const std::int64_t from = std::min(need, width);
            fillFrom(row(i, i), need, time);
            lowest = std::min(lowest, from);
            fastest = std::min(fastest, {time, from});
        }
        m_lo[cell(i, i)] = static_cast<std::int32_t>(lowest);
        m_hi[cell(i, i)] = static_cast<std::int32_t>(fastest.second);
        // What running a stage without saving needs beyond the gradient of its run's end.
        if (i + 1 < m_rows)
            m_running[i] = m_scale.sizes.x[i + 1] + m_scale.sizes.plainTemporary(i);
    }

    void prepareCell(std::size_t i, std::size_t k)
    {
        const Chain& sizes = m_scale.sizes;
        const auto width = static_cast<std::int64_t>(m_stride);
        const std::size_t at = cell(i, k);
        const bool peer = m_options.recurrence == Recurrence::Peer;
        if (k > i + 1)
            m_running[i] =
                std::max(m_running[i], sizes.x[k - 1] + sizes.x[k] + sizes.plainTemporary(k - 1));
        const std::int64_t leafNeed = m_scale.ceilSlots(sizes.x[k + 1] + m_running[i]);
        m_leafNeed[at] = static_cast<std::int32_t>(std::min(leafNeed, width));
        const std::size_t fastest = variantsIn(i, k) > 1 ? m_chain.fastestVariant(i) : 0;
        const std::int64_t kept = m_scale.ceilSlots(sizes.variant(i, fastest).xbar);
        const std::int64_t all =
            peer ? width : std::max(chainNeed(i, k, fastest), kept + m_hi[cell(i + 1, k)]);
        m_hi[at] = static_cast<std::int32_t>(std::min(all, width));
    }

    void tryLeaf(std::size_t i, std::size_t j, std::size_t k)
    {
        const std::int64_t kept = m_scale.x[j];
        const std::int64_t end = m_hi[cell(i, k)];
        const std::int64_t start =
            std::max({static_cast<std::int64_t>(m_leafNeed[cell(i, k)]), kept + m_lo[cell(j, k)],
                      static_cast<std::int64_t>(m_lo[cell(i, j - 1)])});
        if (start < end && m_chain.regions.mayCheckpoint(i, j - 1))
            minPlusRow(row(i, k) + start, row(j, k) + (start - kept), row(i, j - 1) + start,
                       m_prefix[j] - m_prefix[i], static_cast<std::size_t>(end - start));
    }

    void finishCell(std::size_t i, std::size_t k)
    {
        const auto width = static_cast<std::int64_t>(m_stride);
        const std::size_t at = cell(i, k);
        double* const out = row(i, k);
        for (std::size_t variant = 0; variant < variantsIn(i, k); ++variant) {
            const std::int64_t kept = m_scale.ceilSlots(m_scale.sizes.variant(i, variant).xbar);
            const std::int64_t start =
                std::max(chainNeed(i, k, variant), kept + m_lo[cell(i + 1, k)]);
            if (start >= width)
                continue;
            const auto count = static_cast<std::size_t>(width - start);
            const double* const rest = row(i + 1, k) + (start - kept);
            const StageVariant times = m_chain.variant(i, variant);
            if (m_options.recurrence == Recurrence::Peer)
                minPlusRow(out + start, rest, row(i, i) + start, 0, count);
            else
                minAddRow(out + start, rest, times.ftime + times.btime, count);
        }
        // From here on nothing runs twice; sums in a different order must not make it rise again.
        const std::int64_t high = m_hi[at];
        if (high > 0 && high < width && out[high - 1] < out[high])
            std::fill(out + high, out + width, out[high - 1]);
        const double* const first =
            std::find_if(out, out + width, [](double value) { return value < kInfinity; });
        m_lo[at] = static_cast<std::int32_t>(first - out);
    }

    /// Fills a square of first and last stages. The stages in between are also visited in squares,
    /// so that rows are reused while they are in the cache.
    void fillTile(std::size_t firstTile, std::size_t lastTile)
    {
        const std::size_t firstBegin = firstTile * kTile;
        const std::size_t firstEnd = std::min(firstBegin + kTile, m_rows);
        const std::size_t lastBegin = lastTile * kTile;
        const std::size_t lastEnd = std::min(lastBegin + kTile, m_rows);
        const auto eachCell = [&](const auto& visit) {
            for (std::size_t i = firstEnd; i-- > firstBegin;)
                for (std::size_t k = std::max(lastBegin, i + 1); k < lastEnd; ++k)
                    visit(i, k);
        };
        eachCell([this](std::size_t i, std::size_t k) { prepareCell(i, k); });
        for (std::size_t begin = firstEnd; begin < lastBegin; begin += kTile)
            eachCell([this, begin](std::size_t i, std::size_t k) {
                for (std::size_t j = begin; j < begin + kTile; ++j)
                    tryLeaf(i, j, k);
            });
        eachCell([&](std::size_t i, std::size_t k) {
            for (std::size_t j = i + 1; j < std::min(firstEnd, k + 1); ++j)
                tryLeaf(i, j, k);
            for (std::size_t j = std::max(lastBegin, firstEnd); j <= k; ++j)
                tryLeaf(i, j, k);
            finishCell(i, k);
        });
    }

    void fill(int threads, const JobContext& job)
    {
        for (std::size_t i = 0; i < m_rows; ++i)
            fillBase(i);
        const std::size_t tiles = (m_rows + kTile - 1) / kTile;
        std::atomic<std::size_t> next{0};
        std::size_t finished = 0;
        std::barrier barrier{threads, [&]() noexcept {
                                 next.store(0, std::memory_order_relaxed);
                                 job.report(++finished, tiles);
                             }};
        const auto work = [&] {
            for (std::size_t distance = 0; distance < tiles; ++distance) {
                const std::size_t count = tiles - distance;
                for (std::size_t i = next.fetch_add(1); i < count && !job.stopRequested();
                     i = next.fetch_add(1))
                    fillTile(i, i + distance);
                barrier.arrive_and_wait();
            }
        };
        std::vector<std::jthread> helpers;
        for (int t = 1; t < threads; ++t) {
            try {
                helpers.emplace_back(work);
            } catch (const std::system_error&) {
                barrier.arrive_and_drop(); // no more threads available: continue with fewer
            }
        }
        work();
    }

    void walk(std::size_t i, std::size_t k, std::int64_t slots, Sequence& out) const
    {
        if (i == k) {
            walkStage(i, slots, false, out);
            return;
        }
        const auto [leaf, variant] = choose(i, k, slots);
        if (!leaf) {
            out.push_back(chainOp(ChainOpKind::Enable, i, variant));
            walk(i + 1, k, slots - m_scale.ceilSlots(m_scale.sizes.variant(i, variant).xbar), out);
            out.push_back(chainOp(ChainOpKind::Backward, i));
            return;
        }
        walkForward(i, *leaf, out);
        walk(*leaf, k, slots - m_scale.x[*leaf], out);
        walk(i, *leaf - 1, slots, out);
    }

    /// May lower `slots`.
    [[nodiscard]] Choice choose(std::size_t i, std::size_t k, std::int64_t& slots) const
    {
        const bool lowMemory = m_options.ties == TieRule::ChainLowMemory;
        const double best = row(i, k)[slots];
        const double bound = lowMemory ? best * kEqualTimes : best;
        if (lowMemory) {
            slots = leastSlots(row(i, k), slots);
            for (std::size_t variant = 0; variant < variantsIn(i, k); ++variant)
                if (chainValue(i, k, variant, slots) <= bound)
                    return {std::nullopt, variant};
        }
        Choice choice;
        double least = kInfinity;
        for (std::size_t j = i + 1; j <= k; ++j) {
            const double value = leafValue(i, j, k, slots);
            if (value < least) {
                least = value;
                choice.leaf = j;
            }
        }
        for (std::size_t variant = 0; variant < variantsIn(i, k); ++variant)
            if (const double value = chainValue(i, k, variant, slots); value < least) {
                least = value;
                choice = {std::nullopt, variant};
            }
        return choice;
    }

    [[nodiscard]] Result<Sequence> within(std::int64_t budget) const override
    {
        if (m_options.recurrence == Recurrence::Corrected && !m_scale.rounded) {
            Sequence plain = keepEverything(m_chain);
            const Result<Simulation> run = simulate(m_chain, plain);
            if (run && run->peak <= budget)
                return plain;
        }
        if (m_scale.spare > 0)
            return ChainTable::within(budget);
        return sequenceAtSlots(slotsFor(budget)).map_error([budget](const base::Error& error) {
            return base::Error{error.kind, fmt::format("No schedule fits into {}.", budget)};
        });
    }

    void walkTop(std::int64_t slots, Sequence& out) const override
    {
        walk(0, m_rows - 1, slots, out);
    }

    RotorOptions m_options;
    std::vector<std::int32_t> m_lo;       ///< per cell: first slot that is feasible
    std::vector<std::int32_t> m_hi;       ///< per cell: from this slot on nothing is recomputed
    std::vector<std::int32_t> m_leafNeed; ///< per cell: least slots for a leaf choice
    std::vector<std::int64_t>
        m_running; ///< per first stage, while filling: largest need of a forward
};

} // namespace

Result<ChainTablePtr> buildRotorTable(const Chain& chain, std::int64_t maxBudget,
                                      const RotorOptions& options, const JobContext& job)
{
    RETURN_IF_ERROR(validate(chain));
    if (!chain.variants.empty() && options.recurrence == Recurrence::Peer)
        return failure(ErrorKind::Usage, "The peer recurrence supports no stage variants: leave "
                                         "the chain's \"ways\" or the recurrence out.");
    auto table = std::make_unique<RotorTable>();
    return table->build(chain, maxBudget, options, job).map([&]() -> ChainTablePtr {
        return std::move(table);
    });
}

} // namespace plimsoll::solve
