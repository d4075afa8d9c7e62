// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/device_fits.h"

#include "core/base/try.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plimsoll::workspace {

namespace {

using allocator::AllocatorSettings;
using base::Result;
using run::RunStatus;

/// A step for the CPU runs with every plan within the memory.
RunStatus statusOf(const run::PlanChoice& choice)
{
    return choice.verdict ? choice.verdict->status : RunStatus::Runs;
}

std::optional<RunStatus> replayed(const run::PlanChoice& choice)
{
    return choice.verdict ? std::optional{choice.verdict->status} : std::nullopt;
}

class Fitter
{
public:
    Fitter(graph::ProgramPtr recorded, const AllocatorSettings& settings)
        : m_recorded{std::move(recorded)}, m_settings{settings}
    {
    }

    /// Whether it runs without a plan, unless pins forbid that, with cache flushes, too; or whether
    /// no plan can be within the memory, as is proven without a search.
    [[nodiscard]] Result<void> withoutPlan(DeviceFit& fit, const Choices& choices,
                                           const base::JobContext& job) const;
    /// Everything else.
    [[nodiscard]] Result<void> withPlans(DeviceFit& fit, const Choices& choices,
                                         const base::JobContext& job) const;

private:
    [[nodiscard]] Result<run::ReservedTablePtr> tableOf(const Planned& planned,
                                                        const base::JobContext& job) const;

    graph::ProgramPtr m_recorded;
    const AllocatorSettings& m_settings;
};

Result<void> Fitter::withoutPlan(DeviceFit& fit, const Choices& choices,
                                 const base::JobContext& job) const
{
    ASSIGN_OR_RETURN(const Planned first, boundedStep(m_recorded, choices, job));
    if (choices.device.memory < first.peakBound.bytes)
        fit.status = FitStatus::NoPlan;
    ASSIGN_OR_RETURN(Answer answer, answerAt(first, choices.device.memory, m_settings, job));
    fit.unplanned = first.unplanned;
    if (!answer.choice.plan || statusOf(answer.choice) == RunStatus::Fails)
        return {};
    fit.run = replayed(answer.choice);
    fit.plan = std::move(answer.choice.plan);
    fit.status = FitStatus::Unplanned;
    return {};
}

/// Null for a step that doesn't allocate from PyTorch's allocator.
Result<run::ReservedTablePtr> Fitter::tableOf(const Planned& planned,
                                              const base::JobContext& job) const
{
    if (!run::hasAllocator(planned.problem))
        return nullptr;
    return run::reservedTable(planned.frontier, m_settings, nullptr, job);
}

Result<void> Fitter::withPlans(DeviceFit& fit, const Choices& choices,
                               const base::JobContext& job) const
{
    ASSIGN_OR_RETURN(const PlannedPtr planned, planGraph(m_recorded, choices, job.piece(0, 2)));
    ASSIGN_OR_RETURN(const run::ReservedTablePtr table, tableOf(*planned, job.piece(1, 2)));
    const base::JobContext silent{.stop = job.stop};
    ASSIGN_OR_RETURN(Answer answer,
                     answerAt(*planned, choices.device.memory, m_settings, silent, table));
    const run::PlansByBudget plans =
        table ? run::plansByBudget(*table) : run::plansByBudget(*planned->frontier);
    if (!plans.empty())
        fit.leastBudget = plans.front().budget;
    fit.isOver = true;
    // No plan is faster than none, but one may spare the cache flushes.
    if (fit.plan && (!answer.choice.plan || fit.run <= replayed(answer.choice)))
        return {};
    fit.run = replayed(answer.choice);
    fit.status = !answer.choice.plan                           ? FitStatus::NoPlan
                 : statusOf(answer.choice) == RunStatus::Fails ? FitStatus::Fails
                                                               : FitStatus::Planned;
    fit.plan = std::move(answer.choice.plan);
    return {};
}

/// Rows whose answer depends on a plan come first.
std::vector<std::size_t> orderOfPlanning(const std::vector<DeviceFit>& fits)
{
    std::vector<std::size_t> rows(fits.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::stable_partition(rows.begin(), rows.end(), [&fits](std::size_t row) {
        return !fits[row].status || fits[row].run == RunStatus::RunsWithFlushes;
    });
    return rows;
}

/// Cancelled if stopped, with what is known in the rows.
Result<void> fill(std::vector<DeviceFit>& fits, const Fitter& fitter,
                  const std::vector<Choices>& choices, const base::JobContext& job,
                  const DeviceFitListener& listener)
{
    const auto tell = [&](std::size_t row) {
        if (listener)
            listener(row, fits[row]);
    };
    for (std::size_t row = 0; row < fits.size(); ++row)
        fits[row].device = choices[row].device;
    for (std::size_t row = 0; row < fits.size(); ++row) {
        RETURN_IF_ERROR(fitter.withoutPlan(fits[row], choices[row], {.stop = job.stop}));
        tell(row);
    }
    const auto count = static_cast<int>(fits.size());
    int done = 0;
    for (const std::size_t row : orderOfPlanning(fits)) {
        RETURN_IF_ERROR(fitter.withPlans(fits[row], choices[row], job.piece(done++, count)));
        tell(row);
    }
    return {};
}

} // namespace

std::string_view fitStatusName(FitStatus status)
{
    switch (status) {
    case FitStatus::Unplanned: return "unplanned";
    case FitStatus::Planned: return "planned";
    case FitStatus::Fails: return "fails";
    case FitStatus::NoPlan: break;
    }
    return "no_plan";
}

Result<std::vector<DeviceFit>> deviceFits(const graph::ProgramPtr& recorded,
                                          const std::vector<Choices>& choices,
                                          const AllocatorSettings& settings,
                                          const base::JobContext& job,
                                          const DeviceFitListener& listener)
{
    std::vector<DeviceFit> fits(choices.size());
    const Result<void> filled = fill(fits, {recorded, settings}, choices, job, listener);
    if (!filled && filled.error().kind != base::ErrorKind::Cancelled)
        return tl::unexpected{filled.error()};
    return fits;
}

} // namespace plimsoll::workspace
