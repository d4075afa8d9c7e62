// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/solve/chain/rotor/rotor_scale.h"
#include "core/solve/chain/rotor/sequence.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace plimsoll::solve {

/// The time of what does not fit.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Sums of the same times in another order differ by less; times this close count as equal.
inline constexpr double kEqualTimes = 1.0 + 1e-12;

/// The smallest makespan at a budget; a higher budget below the next point gains nothing.
struct ChainFrontierPoint
{
    std::int64_t budget = 0; ///< in the chain's size unit, x[0] included
    double makespan = 0;

    bool operator==(const ChainFrontierPoint&) const = default;
};

/// A dynamic program's table: for each run of stages i..k, with their input in memory and not
/// charged, the smallest time by number of slots. Infinity: nothing fits. One table answers every
/// budget up to the one for which it was built.
class ChainTable
{
public:
    ChainTable(const ChainTable&) = delete;
    ChainTable& operator=(const ChainTable&) = delete;
    ChainTable(ChainTable&&) = delete;
    ChainTable& operator=(ChainTable&&) = delete;
    virtual ~ChainTable() = default;

    /// The table's optimum at every budget, in ascending order. With rounded sizes, `sequence` may
    /// do better, as it considers real peaks.
    [[nodiscard]] std::vector<ChainFrontierPoint> frontier() const;
    /// A schedule whose simulated peak is within the budget (except with the peer recurrence, which
    /// may exceed it). NotFound if the table holds none.
    [[nodiscard]] base::Result<Sequence> sequence(std::int64_t budget) const;
    /// The table's schedule for a number of slots that excludes the model input. NotFound if
    /// nothing fits.
    [[nodiscard]] base::Result<Sequence> sequenceAtSlots(std::int64_t slots) const;
    /// Slots available to the table's top cell at a budget; negative if x[0] alone is too large.
    [[nodiscard]] std::int64_t slotsFor(std::int64_t budget) const
    {
        return m_scale.slotsFor(budget);
    }
    /// Size of one slot in the chain's size unit.
    [[nodiscard]] std::int64_t unit() const { return m_scale.unit; }
    /// Whether no size was rounded and all of the budget can be used.
    [[nodiscard]] bool exact() const { return m_scale.exact; }
    [[nodiscard]] std::size_t bytes() const { return m_cost.size() * sizeof(double); }

protected:
    ChainTable() = default;

    /// Allocates `tables` tables with infinite times, and columns with a number for each cell.
    [[nodiscard]] base::Result<void>
    allocate(const Chain& chain, std::int64_t maxBudget, const RotorOptions& options,
             std::size_t tables, const std::vector<std::vector<std::int32_t>*>& columns = {});
    /// Fills m_prefix; a forward without a measured time takes `unmeasured`.
    void sumForwards(double unmeasured);
    /// Appends a schedule of the table's top cell, for slots with a finite time.
    virtual void walkTop(std::int64_t slots, Sequence& out) const = 0;
    /// sequence() if the model input fits. Rounding makes real peaks lower than the table's: tries
    /// schedules a little above the budget, fastest first, and returns the first that really fits.
    [[nodiscard]] virtual base::Result<Sequence> within(std::int64_t budget) const;

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
    /// Variants in which stage i may save in a cell.
    [[nodiscard]] std::size_t variantsIn(std::size_t i, std::size_t k) const
    {
        return m_chain.variantsOnce && k + 1 < m_rows ? 1 : m_chain.variantsOf(i);
    }
    /// Slots and time of a single stage's forward and backward.
    [[nodiscard]] std::pair<std::int64_t, double> baseOf(std::size_t i, std::size_t variant) const;
    /// From some number of slots on, a row takes no longer than that.
    void fillFrom(double* row, std::int64_t slots, double time) const;
    /// The smallest number of slots at which a row takes no longer than at `slots`.
    [[nodiscard]] static std::int64_t leastSlots(const double* row, std::int64_t slots);
    /// Forwards of the stages up to `end`, keeping the input of the first one only.
    static void walkForward(std::size_t first, std::size_t end, Sequence& out);
    /// The cell of a single stage, which may have saved already.
    void walkStage(std::size_t i, std::int64_t slots, bool isSaved, Sequence& out) const;

    // NOLINTBEGIN(misc-non-private-member-variables-in-classes): what the tables fill and read
    Chain m_chain;
    RotorScale m_scale;
    std::size_t m_rows = 0;       ///< L + 1
    std::size_t m_stride = 0;     ///< slots + 1
    std::vector<double> m_prefix; ///< m_prefix[j] - m_prefix[i] = forwards of i..j-1
    std::vector<double> m_cost;   ///< [cell][slot]
    // NOLINTEND(misc-non-private-member-variables-in-classes)
};

using ChainTablePtr = std::unique_ptr<const ChainTable>;
/// Fills a table for budgets up to `maxBudget`, x[0] included.
using TableBuilder = base::Result<ChainTablePtr> (*)(const Chain& chain, std::int64_t maxBudget,
                                                     const RotorOptions& options,
                                                     const base::JobContext& job);

/// Memory-persistent schedules, in which each stage saves in one of its variants. The table is the
/// same for any number of threads. The peer recurrence supports no further variants.
[[nodiscard]] base::Result<ChainTablePtr> buildRotorTable(const Chain& chain,
                                                          std::int64_t maxBudget,
                                                          const RotorOptions& options,
                                                          const base::JobContext& job);

/// Schedules that may drop a stage's input while what the stage saved is kept: a forward then
/// recomputes the input right before the stage's backward. Includes every schedule of
/// buildRotorTable() with the corrected recurrence. A stage whose input is dropped was saved by
/// variant 0. The chain must allow every region and variant, and have no tails.
[[nodiscard]] base::Result<ChainTablePtr> buildNonPersistentTable(const Chain& chain,
                                                                  std::int64_t maxBudget,
                                                                  const RotorOptions& options,
                                                                  const base::JobContext& job);

/// Positions 0..count-1 in the order in which to try them.
using VisitOrder = std::vector<std::size_t> (*)(std::size_t count);
/// Receives one schedule; an error ends the visits.
using ScheduleVisit = std::function<base::Result<void>(const Sequence&)>;

/// Visits the schedules for all budgets on the frontier of a table that reaches up to keeping
/// everything. If that needs less than a byte per step of the table, there is nothing to plan.
/// Cancelled if the job was stopped.
[[nodiscard]] base::Result<void> visitSchedules(TableBuilder build, const Chain& chain, int slots,
                                                VisitOrder order, const base::JobContext& job,
                                                const ScheduleVisit& visit);

} // namespace plimsoll::solve
