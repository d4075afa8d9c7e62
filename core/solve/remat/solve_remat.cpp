// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/solve_remat.h"

#include "core/solve/remat/remat_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace plimsoll::solve {

using base::JobContext;
using base::Result;

namespace {

/// Sums of the same times in another order differ by less.
constexpr double kEqual = 1.0 + 1e-9;

/// Changes of the profile that go into rounds of destroy and repair of one plan.
constexpr std::size_t kWork = 40'000;
/// And into taking a frontier's plans up to larger budgets.
constexpr std::size_t kRaising = 200'000;

/// What the search made, judged by the pass that shares no code with it.
Result<RematPoint> judged(const RematProblem& problem, const RematSearch& search,
                          std::int64_t budget)
{
    RematPoint point{search.profile().plan(), {}};
    const Result<RematFigures> figures = simulate(problem, point.plan);
    if (!figures)
        return base::failure(base::ErrorKind::Internal,
                             "The search made a plan that can't run: " + figures.error().message);
    if (figures->peak > budget || figures->peak != search.profile().peak())
        return base::failure(base::ErrorKind::Internal,
                             fmt::format("The search's plan needs {} of {}, where it saw {}.",
                                         figures->peak, budget, search.profile().peak()));
    point.figures = *figures;
    return point;
}

struct Effort
{
    std::size_t work = 0;                                       ///< changes of the profile
    double enough = 0;                                          ///< time that no plan beats
    std::size_t idle = std::numeric_limits<std::size_t>::max(); ///< changes without a gain
};

/// After so many changes without a gain, a small problem has seen what there is.
std::size_t idleFor(const RematProblem& problem)
{
    constexpr std::size_t kLeast = 4000;
    constexpr std::size_t kMostPerOp = 48;
    const std::size_t ops = problem.ops.size();
    return std::max(kLeast, ops * std::min(ops, kMostPerOp));
}

/// Brings the search's plan within a budget and makes it faster round by round. False: it doesn't
/// fit.
bool refine(RematSearch& search, std::int64_t budget, const Effort& effort, const JobContext& job,
            const std::function<void()>& faster)
{
    if (!search.reach(budget, job))
        return false;
    faster();
    const std::size_t begin = search.work();
    std::size_t gained = begin;
    while (search.work() - begin < effort.work && search.work() - gained < effort.idle
           && search.isChangeable() && !job.stopRequested()
           && search.profile().time() > effort.enough * kEqual) {
        job.report(search.work() - begin, effort.work);
        if (search.improve(budget, job)) {
            gained = search.work();
            faster();
        }
    }
    return true;
}

/// What simulate() says of plans that it takes, by rising peak, falling time.
std::vector<RematPoint> pointsOf(const RematProblem& problem, const std::vector<RematPlan>& plans)
{
    std::vector<RematPoint> points;
    for (const RematPlan& plan : plans)
        if (const Result<RematFigures> figures = simulate(problem, plan))
            points.push_back({plan, *figures});
    std::stable_sort(points.begin(), points.end(), [](const RematPoint& a, const RematPoint& b) {
        return std::pair{a.figures.peak, a.figures.time}
               < std::pair{b.figures.peak, b.figures.time};
    });
    std::vector<RematPoint> best;
    for (RematPoint& point : points)
        if (best.empty() || point.figures.time < best.back().figures.time)
            best.push_back(std::move(point));
    return best;
}

/// Null where none fits.
const RematPoint* fastestWithin(const std::vector<RematPoint>& points, std::int64_t budget)
{
    const auto above = std::find_if(points.begin(), points.end(), [budget](const RematPoint& p) {
        return p.figures.peak > budget;
    });
    return above == points.begin() ? nullptr : &*std::prev(above);
}

/// Brings the search's plan within the next smaller budget; also refines a start that fits, unless
/// that is far slower, and goes on with the faster one. False: nothing fits.
bool descend(RematSearch& search, const RematPoint* start, std::int64_t budget, double enough,
             const JobContext& job)
{
    constexpr double kFarSlower = 1.05;
    const Effort effort{kWork / 64, enough};
    const JobContext quiet{.stop = job.stop};
    const bool isReached = refine(search, budget, effort, quiet, [] {});
    if (start == nullptr
        || (isReached && start->figures.time > search.profile().time() * kFarSlower))
        return isReached;
    const RematPlan own = search.profile().plan();
    const double ownTime = search.profile().time();
    search.load(start->plan);
    search.loosen(budget, quiet);
    refine(search, budget, effort, quiet, [] {});
    if (isReached && search.profile().time() >= ownTime)
        search.load(own);
    return true;
}

/// What fits less memory fits more, and may do without some of its repetitions there.
Result<void> raise(const RematProblem& problem, const std::vector<std::int64_t>& budgets,
                   std::vector<std::optional<RematPoint>>& points, RematSearch& search,
                   const JobContext& job)
{
    const std::size_t end = search.work() + kRaising;
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
        Result<RematPoint> looser = judged(problem, search, budgets[index - 1]);
        if (!looser)
            return tl::unexpected{looser.error()};
        if (looser->figures.time < above->figures.time)
            above = *std::move(looser);
    }
    return {};
}

} // namespace

std::string_view statusText(RematStatus status)
{
    switch (status) {
    case RematStatus::Optimal: return "optimal";
    case RematStatus::Feasible: return "feasible";
    case RematStatus::Infeasible: return "infeasible";
    case RematStatus::NotFound: break;
    }
    return "not_found";
}

Result<RematAnswer> solveRemat(const RematProblem& problem, std::int64_t budget,
                               const JobContext& job, const RematIncumbent& incumbent)
{
    const Result<RematFigures> base = simulate(problem, {});
    if (!base)
        return tl::unexpected{base.error()};
    RematAnswer answer;
    answer.base = *base;
    const RematBounds bounds{problem};
    answer.workingSet = bounds.workingSet();
    const double again = bounds.lagrangian(budget).again;
    if (answer.workingSet.bytes > budget || again == std::numeric_limits<double>::infinity()) {
        answer.status = RematStatus::Infeasible;
        return answer;
    }
    answer.timeBound = base->time + again;
    RematSearch search{problem};
    Result<void> state;
    const auto keep = [&] {
        Result<RematPoint> point = judged(problem, search, budget);
        if (!point) {
            state = tl::unexpected{point.error()};
            return;
        }
        answer.best = *std::move(point);
        if (incumbent)
            incumbent(*answer.best);
    };
    refine(search, budget, {kWork, answer.timeBound, idleFor(problem)}, job, keep);
    if (!state)
        return tl::unexpected{state.error()};
    answer.stopped = job.stopRequested();
    if (answer.best)
        answer.status = answer.best->figures.time <= answer.timeBound * kEqual
                            ? RematStatus::Optimal
                            : RematStatus::Feasible;
    return answer;
}

Result<std::vector<std::optional<RematPoint>>>
rematFrontier(const RematProblem& problem, const std::vector<std::int64_t>& budgets,
              const JobContext& job, const RematIncumbent& incumbent,
              const std::vector<RematPlan>& starts)
{
    const Result<RematFigures> base = simulate(problem, {});
    if (!base)
        return tl::unexpected{base.error()};
    std::vector<std::optional<RematPoint>> points(budgets.size());
    const std::int64_t least = RematBounds{problem}.workingSet().bytes;
    const std::vector<RematPoint> known = pointsOf(problem, starts);
    RematSearch search{problem};
    for (std::size_t index = 0; index < budgets.size() && !job.stopRequested(); ++index) {
        if (budgets[index] < least)
            break;
        const bool isReached =
            descend(search, fastestWithin(known, budgets[index]), budgets[index], base->time, job);
        job.report(index + 1, budgets.size());
        if (!isReached)
            break; // less memory is not easier
        Result<RematPoint> point = judged(problem, search, budgets[index]);
        if (!point)
            return tl::unexpected{point.error()};
        points[index] = *std::move(point);
        if (incumbent)
            incumbent(*points[index]);
    }
    if (Result<void> raised = raise(problem, budgets, points, search, job); !raised)
        return tl::unexpected{raised.error()};
    return points;
}

} // namespace plimsoll::solve
