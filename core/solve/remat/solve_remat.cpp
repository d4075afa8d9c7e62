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
              const JobContext& job, const RematIncumbent& incumbent)
{
    const Result<RematFigures> base = simulate(problem, {});
    if (!base)
        return tl::unexpected{base.error()};
    std::vector<std::optional<RematPoint>> points(budgets.size());
    const std::int64_t least = RematBounds{problem}.workingSet().bytes;
    RematSearch search{problem};
    for (std::size_t index = 0; index < budgets.size() && !job.stopRequested(); ++index) {
        if (budgets[index] < least)
            break;
        const bool isReached =
            refine(search, budgets[index], {kWork / 64, base->time}, {.stop = job.stop}, [] {});
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
