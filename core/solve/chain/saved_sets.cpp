// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/saved_sets.h"

#include "core/device/op_times.h"
#include "core/solve/regions/savable.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace plimsoll::solve {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::TensorId;

constexpr int kEvaluations = 60; ///< for one plan

/// The innermost region around an op; null if there is none. Works on const and mutable regions.
template <typename Regions>
auto regionAround(Regions& regions, OpId op) -> decltype(regions.data())
{
    const auto at = static_cast<OpIndex>(op.index());
    for (auto& region : regions)
        if (region.first <= at && at <= region.last) {
            const auto inner = regionAround(region.nested, op);
            return inner != nullptr ? inner : &region;
        }
    return nullptr;
}

} // namespace

SavedSets::SavedSets(const plan::Problem& problem)
    : m_problem{problem}, m_density(problem.step()->ops.size(), 0.0)
{
    const graph::Program& program = *problem.step();
    const std::vector<base::Nanoseconds> times = plan::opTimes(program, problem.device);
    const std::vector<bool> savable = keepableOps(problem);
    const std::size_t forward = program.forwardCount();
    for (std::size_t op = 0; op < forward; ++op) {
        // Random ops are left out: all later random ops would have to be kept, too.
        if (times[op].count() == 0 || !savable[op] || program.ops[op].isRandom)
            continue;
        std::int64_t bytes = 0;
        for (const TensorId output : program.ops[op].outputs)
            bytes += graph::rounded(program.storageOf(output).bytes, problem.rounding).count();
        m_density[op] = static_cast<double>(times[op].count())
                        / static_cast<double>(std::max<std::int64_t>(bytes, 1));
    }
}

plan::Plan SavedSets::fill(plan::Plan plan, base::Bytes peak) const
{
    std::vector<OpId> candidates;
    for (const plan::Region& region : plan.regions())
        for (OpIndex at = region.first; at <= region.last; ++at) {
            const OpId op = graph::opAt(at);
            if (m_density[op.index()] > 0
                && !std::ranges::binary_search(regionAround(plan.regions(), op)->save, op))
                candidates.push_back(op);
        }
    std::ranges::stable_sort(candidates, std::ranges::greater{},
                             [this](OpId op) { return m_density[op.index()]; });
    base::Nanoseconds time = plan::evaluate(m_problem, plan)->stepTime;
    // A stack of candidate ranges: a range is kept if it fits, otherwise its halves are tried.
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    if (!candidates.empty())
        runs.emplace_back(0, candidates.size());
    for (int left = kEvaluations; left > 0 && !runs.empty(); --left) {
        const auto [begin, end] = runs.back();
        runs.pop_back();
        plan::Plan more = plan;
        for (std::size_t at = begin; at < end; ++at) {
            std::vector<OpId>& save = regionAround(more.asRegions().regions, candidates[at])->save;
            save.insert(std::ranges::lower_bound(save, candidates[at]), candidates[at]);
        }
        const plan::EvaluationPtr evaluation = plan::evaluate(m_problem, more);
        if (evaluation->peak > peak) {
            const std::size_t middle = begin + (end - begin) / 2;
            if (end - begin > 1)
                runs.insert(runs.end(), {{middle, end}, {begin, middle}});
        } else if (evaluation->stepTime < time) {
            plan = std::move(more);
            time = evaluation->stepTime;
        }
    }
    return plan;
}

} // namespace plimsoll::solve
