// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/plan_diff.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace plimsoll::plan {

namespace {

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30U;

bool comesBefore(const Recomputed& a, const Recomputed& b)
{
    return std::tie(a.op, a.storage) < std::tie(b.op, b.storage);
}

std::vector<Recomputed> sorted(std::vector<Recomputed> values)
{
    std::ranges::sort(values, comesBefore);
    return values;
}

std::vector<DecisionChange> decisionChanges(const Evaluation& from, const Evaluation& to)
{
    const std::vector<Recomputed> before = sorted(from.recomputed);
    const std::vector<Recomputed> after = sorted(to.recomputed);
    std::vector<DecisionChange> changes;
    auto old = before.begin();
    auto now = after.begin();
    while (old != before.end() || now != after.end()) {
        if (now == after.end() || (old != before.end() && comesBefore(*old, *now))) {
            changes.push_back({Decision::Keep, *old, base::Nanoseconds{} - old->time});
            ++old;
        } else if (old == before.end() || comesBefore(*now, *old)) {
            changes.push_back({Decision::Recompute, *now, now->time});
            ++now;
        } else {
            if (now->time > old->time)
                changes.push_back({Decision::MoreOften, *now, now->time - old->time});
            else if (now->time < old->time)
                changes.push_back({Decision::LessOften, *old, now->time - old->time});
            ++old;
            ++now;
        }
    }
    return changes;
}

} // namespace

const char* decisionName(Decision decision)
{
    static constexpr std::array kNames{"recompute", "keep", "more_often", "less_often"};
    return kNames.at(static_cast<std::size_t>(decision));
}

double CheaperPlan::nanosecondsPerGibibyte() const
{
    return static_cast<double>(extraTime.count()) * static_cast<double>(kGibibyte)
           / static_cast<double>(saved.count());
}

CheaperPlan cheaperPlan(const VerifiedPlan& from, FrontierPoint to)
{
    const Evaluation& now = from.evaluation();
    const Evaluation& then = to->evaluation();
    return {std::move(to), now.peak - then.peak, then.stepTime - now.stepTime,
            decisionChanges(now, then)};
}

std::vector<CheaperPlan> cheapestPlans(const Frontier& frontier, const VerifiedPlan& from,
                                       std::size_t count)
{
    std::vector<CheaperPlan> ways;
    if (frontier.points().empty())
        return ways;
    const FrontierPoint& smallest = frontier.points().front();
    const std::int64_t peak = from.evaluation().peak.count();
    const std::int64_t step = std::clamp<std::int64_t>(peak / 10, 1, kGibibyte);
    std::int64_t saved = 0;
    while (ways.size() < count && smallest->evaluation().peak.count() < peak - saved) {
        const std::int64_t wanted = (saved / step + 1) * step; // a plan may free more than it must
        const FrontierPoint found = frontier.at(base::Bytes{peak - wanted});
        const FrontierPoint& to = found ? found : smallest;
        saved = peak - to->evaluation().peak.count();
        // Of a dominated plan: smaller and faster ones are no price for memory.
        if (to->evaluation().stepTime >= from.evaluation().stepTime)
            ways.push_back(cheaperPlan(from, to));
    }
    return ways;
}

} // namespace plimsoll::plan
