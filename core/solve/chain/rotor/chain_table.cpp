// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/chain_table.h"

#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::Result;

Result<void> ChainTable::allocate(const Chain& chain, std::int64_t maxBudget,
                                  const RotorOptions& options, std::size_t tables,
                                  const std::vector<std::vector<std::int32_t>*>& columns)
{
    m_chain = normalised(chain);
    ASSIGN_OR_RETURN(m_scale, rotorScale(m_chain, maxBudget, options));
    m_rows = chain.stages() + 1;
    m_stride = static_cast<std::size_t>(m_scale.slots) + 1;
    const std::size_t cells = m_rows * (m_rows + 1) / 2;
    try {
        m_cost.assign(tables * cells * m_stride, kInfinity);
        for (std::vector<std::int32_t>* column : columns)
            column->resize(cells);
    } catch (const std::bad_alloc&) {
        return failure(ErrorKind::Usage,
                       fmt::format("The table of {} stages and {} slots does not fit into this "
                                   "machine's memory; use fewer slots.",
                                   chain.stages(), m_scale.slots));
    }
    return {};
}

void ChainTable::sumForwards(double unmeasured)
{
    m_prefix.assign(m_rows, 0.0);
    for (std::size_t i = 0; i + 1 < m_rows; ++i) {
        const double time = m_chain.plainTime(i);
        m_prefix[i + 1] = m_prefix[i] + (time > 0 ? time : unmeasured);
    }
}

std::pair<std::int64_t, double> ChainTable::baseOf(std::size_t i, std::size_t variant) const
{
    const StageVariant sizes = m_scale.sizes.variant(i, variant);
    const StageVariant times = m_chain.variant(i, variant);
    const std::int64_t need =
        m_scale.sizes.x[i + 1] + sizes.xbar + std::max(sizes.ftmp, sizes.btmp);
    // A run that ends before the loss stage is a recomputation, which stops once all is saved.
    return {m_scale.ceilSlots(need), (times.ftime - times.ftail) + times.btime};
}

void ChainTable::fillFrom(double* row, std::int64_t slots, double time) const
{
    const auto width = static_cast<std::int64_t>(m_stride);
    std::for_each(row + std::min(slots, width), row + width,
                  [time](double& value) { value = std::min(value, time); });
}

std::int64_t ChainTable::leastSlots(const double* row, std::int64_t slots)
{
    const double bound = row[slots] * kEqualTimes;
    return std::partition_point(row, row + slots, [bound](double value) { return value > bound; })
           - row;
}

void ChainTable::walkForward(std::size_t first, std::size_t end, Sequence& out)
{
    out.push_back(chainOp(ChainOpKind::Check, first));
    for (std::size_t stage = first + 1; stage < end; ++stage)
        out.push_back(chainOp(ChainOpKind::NoGrad, stage));
}

void ChainTable::walkStage(std::size_t i, std::int64_t slots, bool isSaved, Sequence& out) const
{
    if (i + 1 == m_rows) {
        out.push_back({});
        return;
    }
    std::size_t best = 0; // the first of the fastest variants that fit
    double least = kInfinity;
    for (std::size_t variant = 0; variant < variantsIn(i, i); ++variant)
        if (const auto [need, time] = baseOf(i, variant); need <= slots && time < least) {
            best = variant;
            least = time;
        }
    if (!isSaved)
        out.push_back(chainOp(ChainOpKind::Enable, i, best));
    out.push_back(chainOp(ChainOpKind::Backward, i));
}

std::vector<ChainFrontierPoint> ChainTable::frontier() const
{
    std::vector<ChainFrontierPoint> points;
    const double* const time = row(0, m_rows - 1);
    const std::int64_t last = m_scale.rounded ? m_scale.slots - m_scale.sizes.x[0] : m_scale.slots;
    for (std::int64_t m = 0; m <= last; ++m)
        if (time[m] < kInfinity
            && (points.empty() || time[m] * kEqualTimes < points.back().makespan))
            points.push_back({m_scale.budgetOf(m), time[m]});
    return points;
}

Result<Sequence> ChainTable::sequenceAtSlots(std::int64_t slots) const
{
    if (slots < 0 || slots > m_scale.slots || !(row(0, m_rows - 1)[slots] < kInfinity))
        return failure(ErrorKind::NotFound, fmt::format("No schedule fits into {} slots.", slots));
    Sequence sequence;
    walkTop(slots, sequence);
    return sequence;
}

Result<Sequence> ChainTable::sequence(std::int64_t budget) const
{
    if (budget < 0 || slotsFor(budget) < 0)
        return failure(ErrorKind::NotFound,
                       fmt::format("The model input alone does not fit into {}.", budget));
    return within(budget);
}

Result<Sequence> ChainTable::within(std::int64_t budget) const
{
    const double* const time = row(0, m_rows - 1);
    const std::int64_t slots = slotsFor(budget);
    const std::int64_t from = std::min<std::int64_t>(slots + m_scale.spare, m_scale.slots);
    for (std::int64_t m = from; m >= 0 && time[m] < kInfinity; --m) {
        if (m > slots && time[m - 1] <= time[m] * kEqualTimes)
            continue; // the same time for fewer slots
        Sequence sequence;
        walkTop(m, sequence);
        const Result<Simulation> run = simulate(m_chain, sequence);
        if (!run)
            return failure(ErrorKind::Internal, run.error().message);
        if (run->peak <= budget)
            return sequence;
    }
    return failure(ErrorKind::NotFound, fmt::format("No schedule fits into {}.", budget));
}

Result<void> visitSchedules(TableBuilder build, const Chain& chain, int slots, VisitOrder order,
                            const base::JobContext& job, const ScheduleVisit& visit)
{
    ASSIGN_OR_RETURN(const Simulation everything, simulate(chain, keepEverything(chain)));
    if (everything.peak < slots)
        return {};
    ASSIGN_OR_RETURN(const ChainTablePtr table,
                     build(chain, everything.peak, {.slots = slots}, job.piece(0, 2)));
    const std::vector<ChainFrontierPoint> points = table->frontier();
    std::size_t done = 0;
    for (const std::size_t place : order(points.size())) {
        if (job.stopRequested())
            return base::cancelled();
        if (const Result<Sequence> sequence = table->sequence(points[place].budget))
            RETURN_IF_ERROR(visit(*sequence));
        job.piece(1, 2).report(++done, points.size());
    }
    return {};
}

} // namespace plimsoll::solve
