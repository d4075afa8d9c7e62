// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/capuchin/capuchin_planner.h"

#include "core/base/try.h"
#include "core/lower/lower.h"
#include "core/solve/api/certify_and_insert.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::solve {

CapuchinRun::CapuchinRun(const plan::Problem& problem)
    : m_problem{problem}
    , m_step{problem}
    , m_chooser{m_step.graph()}
    , m_isRefused(m_step.graph().values.size(), false)
    , m_isPinned(m_isRefused.size(), false)
    , m_height{simulate({})}
{
    for (const plan::Pin& pin : problem.pins)
        for (const graph::StorageId storage : pin.storages)
            if (pin.kind == plan::PinKind::Recompute)
                m_isPinned[storage.index()] = true;
}

bool CapuchinRun::nextPinned()
{
    const std::optional<std::uint32_t> value = m_chooser.best(m_isPinned);
    return value && tryPick(*value, false);
}

bool CapuchinRun::meetsPins() const
{
    for (std::uint32_t value = 0; value < m_isPinned.size(); ++value)
        if (m_isPinned[value] && !m_chooser.isChosen(value))
            return false;
    return true;
}

bool CapuchinRun::next()
{
    std::vector<bool> isEligible = m_step.idleAt(m_height.moment);
    for (std::size_t value = 0; value < isEligible.size(); ++value)
        isEligible[value] = isEligible[value] && !m_isRefused[value];
    while (const std::optional<std::uint32_t> value = m_chooser.best(isEligible)) {
        if (tryPick(*value, true))
            return true;
        m_isRefused[*value] = true;
        isEligible[*value] = false;
    }
    return false;
}

bool CapuchinRun::tryPick(std::uint32_t value, bool mustHelp)
{
    m_chosen.push_back(value);
    if (std::optional<std::vector<plan::RecomputeStep>> rows = m_step.rows(m_chosen))
        if (const Height height = simulate(*rows); !mustHelp || height.isBelow(m_height)) {
            m_rows = *std::move(rows);
            m_height = height;
            const CapuchinPick pick = m_chooser.choose(value);
            const graph::StorageId storage{static_cast<std::size_t>(value)};
            m_picks.push_back({storage, graph::opAt(m_problem.step()->storage(storage).alloc),
                               base::Bytes{pick.bytes},
                               base::Nanoseconds{std::llround(pick.recomputeTime)},
                               pick.multiplicity, pick.msps, base::Bytes{height.peak}});
            return true;
        }
    m_chosen.pop_back();
    return false;
}

CapuchinRun::Height CapuchinRun::simulate(const std::vector<plan::RecomputeStep>& rows) const
{
    const graph::Program& program = *m_problem.step();
    const plan::Schedule schedule = plan::lower(program, {{}, {}, plan::RecomputeSchedule{rows}});
    const std::size_t steps = schedule.steps.size();
    std::vector<std::int64_t> live(steps + 1, 0);
    for (const plan::Instance& instance : schedule.instances) {
        if (instance.free < 0 || steps == 0)
            continue;
        const std::int64_t bytes = m_step.graph().values[instance.storage.index()].bytes;
        live[static_cast<std::size_t>(std::max(instance.alloc, 0))] += bytes;
        live[std::min(static_cast<std::size_t>(instance.free), steps - 1) + 1] -= bytes;
    }
    Height height;
    std::int64_t now = m_problem.reserve.count();
    std::size_t first = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        now += live[step];
        if (now > height.peak) {
            height = {now, 0, 0};
            first = step;
        }
        height.steps += now == height.peak ? 1 : 0;
    }
    while (first < steps && schedule.steps[first].region >= 0)
        ++first;
    height.moment =
        first < steps ? static_cast<graph::OpIndex>(schedule.steps[first].op.index()) : 0;
    return height;
}

namespace {

/// Number of plans evaluated: prefixes of the picks, spread evenly over the peaks.
constexpr std::int64_t kMostPoints = 400;

PlannerDescriptor descriptorOfCapuchin()
{
    return {"capuchin",
            "Capuchin",
            "Recomputes single values, those that save most memory per time first, as long as the "
            "step's peak falls.",
            {stepRuntimeRecord()},
            "Capuchin (ASPLOS 2020), its recomputation only, every choice simulated.",
            {"Moving values to the host.", "Dropping recomputed values before their last use."},
            true};
}

tl::unexpected<base::Error> notMade()
{
    return base::failure(base::ErrorKind::CheckFailed,
                         "The planner capuchin does not make this plan.");
}

class CapuchinPlanner final : public Planner
{
public:
    CapuchinPlanner() : Planner{descriptorOfCapuchin()} {}

    /// Repeats the same picks: they depend neither on the budget nor on when a search was stopped.
    [[nodiscard]] base::Result<std::vector<Pick>>
    explain(const plan::VerifiedPlan& plan) const override
    {
        CapuchinRun run{plan.problem()};
        while (run.nextPinned()) {
        }
        if (!run.meetsPins())
            return notMade();
        while (run.rows() != plan.plan().recomputeSteps())
            if (!run.next())
                return notMade();
        return run.picks();
    }

private:
    [[nodiscard]] base::Result<plan::FrontierPtr> search(const plan::Problem& problem,
                                                         const Options& options,
                                                         const base::JobContext& job,
                                                         const Listener& listener) const override
    {
        plan::Problem unlimited = problem;
        unlimited.budget = plan::kUnlimited;
        plan::Plan plan = plan::keepEverything(plan::Runtime::CompiledStep);
        plan.planner = descriptor().id;
        plan.options = callOf(descriptor(), options).options;
        plan::Frontier frontier;
        if (const base::Result<void> begun = beginFrontier(frontier, unlimited, plan);
            !begun) // the runner can't run this step at all
            return base::failure(begun.error().kind == base::ErrorKind::CheckFailed
                                     ? base::ErrorKind::Usage
                                     : begun.error().kind,
                                 begun.error().message);
        const std::int64_t most = plan::evaluate(unlimited, plan)->peak.count();
        const std::int64_t least = plan::peakLowerBound(unlimited, plan.runtime()).bytes.count();
        const std::int64_t gap = (most - least) / kMostPoints;
        CapuchinRun run{unlimited};
        while (!job.stopRequested() && run.nextPinned()) {
        }
        if (!run.meetsPins())
            return std::make_shared<const plan::Frontier>(std::move(frontier));
        std::int64_t last = most;
        bool goesOn = true;
        for (bool isFirst = !unlimited.pins.empty(); goesOn && !job.stopRequested();
             isFirst = false) {
            goesOn = isFirst || run.next();
            if (run.picks().empty())
                continue;
            const std::int64_t peak = run.picks().back().peak.count();
            job.report(static_cast<std::size_t>(std::max<std::int64_t>(most - peak, 0)),
                       static_cast<std::size_t>(std::max(most - least, most - peak)));
            if (!isFirst && (peak == last || (goesOn && last - peak < gap)))
                continue;
            last = peak;
            plan.asSchedule().recomputeSteps = run.rows();
            RETURN_IF_ERROR(certifyAndInsert(frontier, unlimited, plan, listener));
        }
        return std::make_shared<const plan::Frontier>(std::move(frontier));
    }
};

} // namespace

std::unique_ptr<const Planner> makeCapuchinPlanner()
{
    return std::make_unique<const CapuchinPlanner>();
}

} // namespace plimsoll::solve
