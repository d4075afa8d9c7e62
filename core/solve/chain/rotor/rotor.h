// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/solve/chain/rotor/rotor_scale.h"
#include "core/solve/chain/rotor/sequence.h"
#include "core/solve/chain/rotor/top_row.h"
#include "core/solve/regions/chain.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// Least time of each run of stages at each budget, by dynamic programming over memory-persistent
/// schedules, in which each stage saves in one of its ways. One table answers every budget up to
/// the one it was built for.
class RotorTable
{
public:
    /// Every cell is the same minimum whoever computes it, so the table is the same for any number
    /// of threads. `maxBudget` includes x[0]. The peer recurrence knows no further ways.
    [[nodiscard]] static base::Result<RotorTable> build(const Chain& chain, std::int64_t maxBudget,
                                                        const RotorOptions& options,
                                                        const base::JobContext& job);

    /// The table's own optimum at every budget, in ascending order. With rounded sizes `sequence`
    /// may do better, as it looks at real peaks.
    [[nodiscard]] std::vector<ChainFrontierPoint> frontier() const { return top().frontier(); }
    /// A schedule whose simulated peak is within the budget (except with the peer recurrence, which
    /// overspends). NotFound when the table holds none.
    [[nodiscard]] base::Result<Sequence> sequence(std::int64_t budget) const;
    /// The table's own schedule at a slot count that excludes the model input.
    [[nodiscard]] base::Result<Sequence> sequenceAtSlots(std::int64_t slots) const
    {
        return top().sequenceAtSlots(slots);
    }

    /// Size of one slot in the chain's size unit.
    [[nodiscard]] std::int64_t unit() const { return m_scale.unit; }
    /// No size was rounded, and all of the budget can be used.
    [[nodiscard]] bool exact() const { return m_scale.exact; }
    /// Rows hold slots 0..slots().
    [[nodiscard]] int slots() const { return m_scale.slots; }
    [[nodiscard]] std::size_t bytes() const { return m_cost.size() * sizeof(double); }
    /// Least time of stages i..k with their input in memory and not charged; infinity: does not
    /// fit.
    [[nodiscard]] double cost(std::size_t i, std::size_t k, int slots) const;
    /// Slots left for the table's top cell at a budget; negative when x[0] alone is too large.
    [[nodiscard]] std::int64_t slotsFor(std::int64_t budget) const
    {
        return m_scale.slotsFor(budget);
    }

private:
    RotorTable() = default;

    [[nodiscard]] std::size_t cell(std::size_t i, std::size_t k) const
    {
        return i * (2 * m_rows - i + 1) / 2 + (k - i);
    }
    [[nodiscard]] const double* row(std::size_t i, std::size_t k) const
    {
        return m_cost.data() + cell(i, k) * m_stride;
    }
    [[nodiscard]] double* row(std::size_t i, std::size_t k)
    {
        return m_cost.data() + cell(i, k) * m_stride;
    }
    /// What is done first in a cell.
    struct Choice
    {
        std::optional<std::size_t> leaf; ///< its j; none: stage i saves
        std::size_t variant = 0;         ///< how
    };
    /// Ways in which stage i may save in a cell.
    [[nodiscard]] std::size_t variantsIn(std::size_t i, std::size_t k) const
    {
        return m_chain.variantsOnce && k + 1 < m_rows ? 1 : m_chain.variantsOf(i);
    }
    [[nodiscard]] std::int64_t chainNeed(std::size_t i, std::size_t k, std::size_t variant) const;
    [[nodiscard]] double chainValue(std::size_t i, std::size_t k, std::size_t variant,
                                    std::int64_t slots) const;
    [[nodiscard]] double leafValue(std::size_t i, std::size_t j, std::size_t k,
                                   std::int64_t slots) const;
    [[nodiscard]] TopRow top() const;
    void sumForwards();
    void fillBase(std::size_t i);
    [[nodiscard]] std::pair<std::int64_t, double> baseOf(std::size_t i, std::size_t variant) const;
    void prepareCell(std::size_t i, std::size_t k);
    void tryLeaf(std::size_t i, std::size_t j, std::size_t k);
    void finishCell(std::size_t i, std::size_t k);
    void fillTile(std::size_t firstTile, std::size_t lastTile);
    void fill(int threads, const base::JobContext& job);
    /// May lower `slots`.
    [[nodiscard]] Choice choose(std::size_t i, std::size_t k, std::int64_t& slots) const;
    [[nodiscard]] std::size_t baseVariant(std::size_t i, std::int64_t slots) const;
    void walk(std::size_t i, std::size_t k, std::int64_t slots, Sequence& out) const;

    Chain m_chain;
    RotorOptions m_options;
    RotorScale m_scale;
    std::size_t m_rows = 0;               ///< L + 1
    std::size_t m_stride = 0;             ///< slots + 1
    std::vector<double> m_prefix;         ///< m_prefix[j] - m_prefix[i] = forwards of i..j-1
    std::vector<double> m_cost;           ///< [cell][slot]
    std::vector<std::int32_t> m_lo;       ///< per cell: first slot that is feasible
    std::vector<std::int32_t> m_hi;       ///< per cell: from this slot on nothing is recomputed
    std::vector<std::int32_t> m_leafNeed; ///< per cell: least slots for a leaf choice
    std::vector<std::int64_t>
        m_running; ///< per first stage, while filling: largest need of a forward
};

/// A table of schedules for every budget up to what keeping everything needs. Nothing where that is
/// less than a byte for each of the table's steps: there is nothing to plan.
template <typename Table>
[[nodiscard]] base::Result<std::optional<Table>> wholeTable(const Chain& chain, int slots,
                                                            const base::JobContext& job)
{
    const base::Result<Simulation> everything = simulate(chain, keepEverything(chain));
    if (!everything)
        return tl::unexpected{everything.error()};
    if (everything->peak < slots)
        return std::nullopt;
    RotorOptions options;
    options.slots = slots;
    return Table::build(chain, everything->peak, options, job).map([](Table table) {
        return std::optional<Table>{std::move(table)};
    });
}

} // namespace plimsoll::solve
