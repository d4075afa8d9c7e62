// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/solve_remat.h"

#include "core/base/try.h"
#include "core/solve/remat/search/remat_eviction.h"
#include "core/solve/remat/search/remat_exact.h"
#include "core/solve/remat/search/remat_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace plimsoll::solve {

using base::JobContext;
using base::Result;

namespace {

/// Changes of the profile spent on one point of a frontier.
constexpr std::size_t kWorkOfPoint = 400;

/// Changes spent on improving a frontier's plans for larger budgets; fewer for large problems.
std::size_t raisingFor(const RematProblem& problem)
{
    constexpr std::size_t kMost = 200'000;
    constexpr std::size_t kAll = 200'000'000;
    return std::min(kAll / (problem.ops.size() + 1), kMost);
}

/// Problems with at most this many ops are only searched exhaustively.
constexpr std::size_t kFewOps = 12;

/// The number of steps in which each try lowers the memory: first straight to the budget, then
/// those for plans far from their bound, then those used while there is no plan yet.
constexpr std::array<std::size_t, 6> kRungs{1, 6, 100, 60, 30, 15};
constexpr std::size_t kRungsForFar = 3;

/// Changes spent on one plan; fewer for large problems, whose changes take longer.
std::size_t workFor(const RematProblem& problem)
{
    constexpr std::size_t kLeast = 40'000;
    constexpr std::size_t kMost = 160'000;
    constexpr std::size_t kAll = 200'000'000;
    return std::clamp(kAll / (problem.ops.size() + 1), kLeast, kMost);
}

/// Evaluates a plan by the simulation, which shares no code with any search.
Result<RematPoint> judged(const RematProblem& problem, RematPlan plan, std::int64_t budget)
{
    const Result<RematFigures> figures = simulate(problem, plan);
    if (!figures)
        return base::failure(base::ErrorKind::Internal,
                             "The search made a plan that can't run: " + figures.error().message);
    if (figures->peak > budget)
        return base::failure(
            base::ErrorKind::Internal,
            fmt::format("The search's plan needs {} of {}.", figures->peak, budget));
    return RematPoint{std::move(plan), *figures};
}

/// Evaluates the search's plan and checks the peak that the search computed.
Result<RematPoint> judged(const RematProblem& problem, const RematSearch& search,
                          std::int64_t budget)
{
    Result<RematPoint> point = judged(problem, search.profile().plan(), budget);
    if (point && point->figures.peak != search.profile().peak())
        return base::failure(base::ErrorKind::Internal,
                             fmt::format("The search's plan needs {}, where it saw {}.",
                                         point->figures.peak, search.profile().peak()));
    return point;
}

/// The plans that simulate() accepts, by rising peak and falling time.
std::vector<RematPoint> pointsOf(const RematProblem& problem, const std::vector<RematPlan>& plans)
{
    std::vector<RematPoint> points;
    for (const RematPlan& plan : plans)
        if (const Result<RematFigures> figures = simulate(problem, plan))
            points.push_back({plan, *figures});
    std::ranges::stable_sort(points, {}, [](const RematPoint& point) {
        return std::pair{point.figures.peak, point.figures.time};
    });
    std::vector<RematPoint> best;
    for (RematPoint& point : points)
        if (best.empty() || point.figures.time < best.back().figures.time)
            best.push_back(std::move(point));
    return best;
}

/// Null if none fits.
const RematPoint* fastestWithin(const std::vector<RematPoint>& points, std::int64_t budget)
{
    const auto above = std::find_if(points.begin(), points.end(), [budget](const RematPoint& p) {
        return p.figures.peak > budget;
    });
    return above == points.begin() ? nullptr : &*std::prev(above);
}

/// Takes the search's plan down to the next smaller budget. Also refines a start that fits, unless
/// it is far slower, and continues with the faster of the two. Returns false if nothing fits.
bool descend(RematSearch& search, const RematPoint* start, std::int64_t budget, double enough,
             const JobContext& job)
{
    constexpr double kFarSlower = 1.05;
    const RematEffort effort{kWorkOfPoint, enough};
    const JobContext quiet{.stop = job.stop};
    const bool isReached = refineRemat(search, budget, effort, quiet);
    if (start == nullptr
        || (isReached && start->figures.time > search.profile().time() * kFarSlower))
        return isReached;
    const RematPlan own = search.profile().plan();
    const double ownTime = search.profile().time();
    search.load(start->plan);
    search.loosen(budget, quiet);
    refineRemat(search, budget, effort, quiet);
    if (isReached && search.profile().time() >= ownTime)
        search.load(own);
    return true;
}

/// A plan for a smaller budget also fits a larger one, which may spare some of its recomputations.
Result<void> raise(const RematProblem& problem, const std::vector<std::int64_t>& budgets,
                   std::vector<std::optional<RematPoint>>& points, RematSearch& search,
                   const JobContext& job)
{
    const std::size_t end = search.work() + raisingFor(problem);
    for (std::size_t index = points.size(); index-- > 1;) {
        if (!points[index])
            continue;
        std::optional<RematPoint>& above = points[index - 1];
        if (!above || points[index]->figures.time < above->figures.time)
            above = points[index];
        if (search.work() >= end || job.stopRequested())
            continue;
        search.load(points[index]->plan);
        search.loosen(budgets[index - 1], job);
        ASSIGN_OR_RETURN(RematPoint looser, judged(problem, search, budgets[index - 1]));
        if (looser.figures.time < above->figures.time)
            above = std::move(looser);
    }
    for (std::size_t index = 1; index < points.size() && points[index]; ++index)
        if (points[index - 1]->figures.peak <= budgets[index])
            points[index] = points[index - 1]; // no slower
    return {};
}

/// Improves the answer for one problem and budget.
class Solving
{
public:
    Solving(RematAnswer& answer, const RematProblem& problem, std::int64_t budget,
            const JobContext& job, const RematListener& listener)
        : m_answer{answer}
        , m_problem{problem}
        , m_budget{budget}
        , m_job{job}
        , m_listener{listener}
        , m_search{problem}
    {
    }

    /// A quick search, a quick proof, then longer ones while there is something to gain.
    Result<void> run(const std::vector<double>& prices) &&
    {
        constexpr std::size_t kHasty = 6;
        constexpr std::size_t kPatient = 50;
        constexpr std::size_t kFewStates = 3000;
        constexpr std::size_t kManyStates = 20'000;
        constexpr std::size_t kFewPlays = 4;
        constexpr std::size_t kManyPlays = 200;
        tell();
        if (m_problem.ops.size() <= kFewOps)
            prove(prices, kManyStates);
        if (!isOver())
            refine(kHasty, 1);
        if (!isOver())
            prove(prices, kFewStates);
        if (!isOver() && !m_answer.best)
            evict(kFewPlays);
        for (std::size_t index = 0; index < kRungs.size(); ++index)
            if (!isOver() && (index == 0 || !m_isLocal || (index < kRungsForFar && isFar(0.05))))
                refine(kPatient, kRungs.at(index));
        if (!isOver() && m_isLocal && isFar(0.03))
            settle();
        if (!isOver() && !m_isLocal)
            evict(kManyPlays);
        if (!isOver())
            prove(prices, kManyStates);
        for (const std::size_t states : {10 * kManyStates, 50 * kManyStates})
            if (!isOver() && isFar(0.02))
                prove(prices, states);
        if (m_answer.best)
            m_answer.status = isBest() ? Status::Optimal : Status::Feasible;
        else
            m_answer.status = m_isProven ? Status::Infeasible : Status::NotFound;
        if (m_answer.status == Status::Infeasible)
            m_answer.timeBound = 0;
        return m_state;
    }

private:
    void refine(std::size_t patience, std::size_t rungs)
    {
        if (rungs > 1)
            m_search.load({});
        const RematEffort effort{workFor(m_problem), m_answer.timeBound, patience, rungs};
        refineRemat(m_search, m_budget, effort, m_job, [this] { keepLocal(); });
    }

    /// Refines the best plan with the work of a few tries, without giving up early.
    void settle()
    {
        constexpr std::size_t kTries = 4;
        m_search.load(m_answer.best->plan);
        RematEffort effort{kTries * workFor(m_problem), m_answer.timeBound};
        effort.patience = effort.work;
        refineRemat(m_search, m_budget, effort, m_job, [this] { keepLocal(); });
    }

    /// Eviction over the whole order may find plans that local moves don't reach.
    void evict(std::size_t plays)
    {
        std::optional<RematPlan> plan = evictingPlan(m_problem, m_budget, plays, m_job);
        if (plan && keep(judged(m_problem, *std::move(plan), m_budget)))
            m_isLocal = false;
    }

    /// Exhaustively searches for plans faster than the best one.
    void prove(const std::vector<double>& prices, std::size_t states)
    {
        RematExactLimits limits;
        limits.states = states;
        limits.prices = prices;
        if (m_answer.best) {
            const double again = m_answer.best->figures.time - m_answer.base.time;
            const double rounding = (kSameTime - 1) * m_answer.best->figures.time;
            limits.below = again - std::max(rounding, 0.999 * unitOfTimes(m_problem));
        }
        RematExact exact = solveExactly(m_problem, m_budget, limits, m_job);
        m_isProven = exact.isProven;
        if (exact.plan)
            keep(judged(m_problem, *std::move(exact.plan), m_budget));
        if (!exact.isProven)
            raiseBound(m_answer.base.time + raisedToWholeTimes(m_problem, exact.recomputeTime));
        else if (m_answer.best)
            raiseBound(m_answer.best->figures.time);
    }

    /// Keeps the point if it is the best so far and returns whether it is.
    bool keep(Result<RematPoint> point)
    {
        if (!point) {
            m_state = tl::unexpected{point.error()};
            return false;
        }
        if (m_answer.best && m_answer.best->figures.time <= point->figures.time)
            return false;
        m_answer.best = *std::move(point);
        tell();
        return true;
    }

    void keepLocal()
    {
        if (keep(judged(m_problem, m_search, m_budget)))
            m_isLocal = true;
    }

    void raiseBound(double time)
    {
        if (time <= m_answer.timeBound)
            return;
        m_answer.timeBound = time;
        tell();
    }

    void tell() const
    {
        if (m_listener)
            m_listener(m_answer);
    }
    [[nodiscard]] bool isBest() const
    {
        return m_answer.best && m_answer.best->figures.time <= m_answer.timeBound * kSameTime;
    }

    /// Whether plan and bound differ by more than a share of the plain time.
    [[nodiscard]] bool isFar(double share) const
    {
        return !m_answer.best
               || m_answer.best->figures.time > m_answer.timeBound + share * m_answer.base.time;
    }

    [[nodiscard]] bool isOver() const
    {
        return !m_state || m_isProven || isBest() || m_job.stopRequested();
    }

    RematAnswer& m_answer;
    const RematProblem& m_problem;
    std::int64_t m_budget;
    const JobContext& m_job;
    const RematListener& m_listener;
    RematSearch m_search;
    bool m_isProven = false; ///< there is no faster plan, or none at all
    bool m_isLocal = false;  ///< whether the best plan is the search's
    Result<void> m_state;
};

/// Searches for the smallest peak between a budget that no known plan fits and the plain order's
/// peak; few tries for large problems.
Result<std::int64_t> smallestPeak(const RematProblem& problem, std::int64_t budget,
                                  const RematAnswer& known, const JobContext& job)
{
    constexpr std::size_t kOps = 20'000; // of all tries
    constexpr std::size_t kPlays = 4;
    const std::size_t looks = std::clamp<std::size_t>(kOps / problem.ops.size(), 1, 12);
    std::int64_t none = std::max(budget, known.workingSet.bytes - 1);
    std::int64_t smallest = known.base.peak;
    for (std::size_t look = 0; look < looks && none + 1 < smallest; ++look) {
        if (job.stopRequested())
            break;
        const std::int64_t middle = none + (smallest - none) / 2;
        const JobContext quiet{.stop = job.stop};
        std::optional<RematPlan> plan = evictingPlan(problem, middle, kPlays, quiet);
        if (RematSearch search{problem}; !plan && search.reach(middle, quiet))
            plan = search.profile().plan();
        if (!plan) {
            none = middle;
            continue;
        }
        ASSIGN_OR_RETURN(const RematPoint point, judged(problem, *std::move(plan), middle));
        smallest = point.figures.peak;
    }
    return smallest;
}

} // namespace

Result<RematAnswer> solveRemat(const RematProblem& problem, std::int64_t budget,
                               const JobContext& job, const RematListener& listener)
{
    RematAnswer answer;
    ASSIGN_OR_RETURN(answer.base, simulate(problem, {}));
    const RematBounds bounds{problem};
    answer.workingSet = bounds.workingSet();
    const RematBound bound = bounds.lagrangian(budget);
    if (answer.workingSet.bytes > budget || !std::isfinite(bound.recomputeTime)) {
        answer.status = Status::Infeasible;
    } else {
        answer.timeBound = answer.base.time + raisedToWholeTimes(problem, bound.recomputeTime);
        RETURN_IF_ERROR(Solving{answer, problem, budget, job, listener}.run(bound.prices));
        answer.stopped = job.stopRequested();
    }
    ASSIGN_OR_RETURN(answer.smallestPeak, answer.best
                                              ? Result<std::int64_t>{answer.best->figures.peak}
                                              : smallestPeak(problem, budget, answer, job));
    return answer;
}

Result<std::vector<std::optional<RematPoint>>>
rematFrontier(const RematProblem& problem, const std::vector<std::int64_t>& budgets,
              const JobContext& job, const RematIncumbent& incumbent,
              const std::vector<RematPlan>& starts)
{
    ASSIGN_OR_RETURN(const RematFigures base, simulate(problem, {}));
    std::vector<std::optional<RematPoint>> points(budgets.size());
    const std::int64_t least = RematBounds{problem}.workingSet().bytes;
    const std::vector<RematPoint> known = pointsOf(problem, starts);
    RematSearch search{problem};
    for (std::size_t index = 0; index < budgets.size() && !job.stopRequested(); ++index) {
        if (budgets[index] < least)
            break;
        const bool isReached =
            descend(search, fastestWithin(known, budgets[index]), budgets[index], base.time, job);
        job.report(index + 1, budgets.size());
        if (!isReached)
            break; // a smaller budget is no easier
        ASSIGN_OR_RETURN(points[index], judged(problem, search, budgets[index]));
        if (incumbent)
            incumbent(*points[index]);
    }
    RETURN_IF_ERROR(raise(problem, budgets, points, search, job));
    return points;
}

} // namespace plimsoll::solve
