// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_refine.h"

#include <algorithm>

namespace plimsoll::solve {

using base::JobContext;

namespace {

/// Takes the memory down in equal steps, each with a little refinement: a plan that is good for the
/// budget before leaves room for the next one where one that was made in haste has none.
bool lower(RematSearch& search, std::int64_t budget, std::size_t rungs, const JobContext& job)
{
    constexpr std::size_t kWorkOfRung = 2000;
    const std::int64_t top = search.profile().peak();
    for (std::size_t rung = 1; rung < rungs && !search.fits(budget); ++rung) {
        const auto share = static_cast<double>(rung) / static_cast<double>(rungs);
        const std::int64_t target =
            top - static_cast<std::int64_t>(share * static_cast<double>(top - budget));
        if (!search.reach(target, job))
            return false;
        const std::size_t end = search.work() + kWorkOfRung;
        while (search.work() < end && search.profile().repetitions() > 0 && !job.stopRequested())
            search.improve(target, 0, job);
    }
    return search.reach(budget, job);
}

/// After so many of them without a gain, a plan with few repetitions has seen what there is.
std::size_t pairsOf(std::size_t repetitions)
{
    return repetitions * (repetitions + 4);
}

} // namespace

bool refineRemat(RematSearch& search, std::int64_t budget, const RematEffort& effort,
                 const JobContext& job, const std::function<void()>& faster)
{
    constexpr double kSlack = 0.03;       // of the repeated time
    constexpr std::size_t kAstray = 2000; // changes before it's back at the best plan
    if (!lower(search, budget, effort.rungs, job))
        return false;
    if (faster)
        faster();
    const std::size_t begin = search.work();
    std::size_t gained = begin;
    std::size_t returned = begin;
    RematPlan best = search.profile().plan();
    double time = search.profile().time();
    double slowest = time + kSlack * search.profile().repeatedTime();
    while (search.work() - begin < effort.work
           && search.work() - gained < effort.patience * pairsOf(search.profile().repetitions())
           && !job.stopRequested() && time > effort.enough * kSameTime) {
        job.report(search.work() - begin, effort.work);
        search.improve(budget, slowest, job);
        if (search.profile().time() * kSameTime < time) {
            gained = returned = search.work();
            best = search.profile().plan();
            time = search.profile().time();
            slowest = time + kSlack * search.profile().repeatedTime();
            if (faster)
                faster();
        } else if (search.work() - returned > kAstray && search.profile().time() > time) {
            search.load(best);
            returned = search.work();
        }
    }
    if (search.profile().time() > time)
        search.load(best);
    return true;
}

} // namespace plimsoll::solve
