// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/saved_sets.h"

#include "core/device/op_times.h"
#include "core/solve/regions/savable.h"

#include <algorithm>

namespace plimsoll::solve {

namespace {

using graph::OpId;
using graph::OpIndex;
using graph::TensorId;

constexpr int kEvaluations = 60; ///< for one plan

const plan::Region* regionAround(const std::vector<plan::Region>& regions, OpId op)
{
    const auto at = static_cast<OpIndex>(op.index());
    for (const plan::Region& region : regions)
        if (region.first <= at && at <= region.last) {
            const plan::Region* inner = regionAround(region.nested, op);
            return inner != nullptr ? inner : &region;
        }
    return nullptr;
}

bool isKept(const std::vector<plan::Region>& regions, OpId op)
{
    const plan::Region* region = regionAround(regions, op);
    return region != nullptr && std::binary_search(region->save.begin(), region->save.end(), op);
}

/// Adds an op to the list of the innermost region around it.
void keep(std::vector<plan::Region>& regions, OpId op)
{
    const auto at = static_cast<OpIndex>(op.index());
    for (plan::Region& region : regions) {
        if (at < region.first || at > region.last)
            continue;
        const bool isNested = std::any_of(
            region.nested.begin(), region.nested.end(),
            [at](const plan::Region& nested) { return nested.first <= at && at <= nested.last; });
        if (isNested)
            keep(region.nested, op);
        else
            region.save.insert(std::lower_bound(region.save.begin(), region.save.end(), op), op);
        return;
    }
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
        // Random ops are left out: what draws after them would have to be kept, too.
        if (times[op].count() == 0 || !savable[op] || program.ops[op].isRandom)
            continue;
        std::int64_t bytes = 0;
        for (const TensorId output : program.ops[op].outputs)
            bytes += graph::rounded(program.storageOf(output).bytes, problem.rounding).count();
        m_density[op] = static_cast<double>(times[op].count())
                        / static_cast<double>(std::max<std::int64_t>(bytes, 1));
    }
}

void SavedSets::collect(const std::vector<plan::Region>& regions,
                        std::vector<Candidate>& found) const
{
    for (const plan::Region& region : regions)
        for (OpIndex at = region.first; at <= region.last; ++at)
            if (const OpId op{static_cast<std::size_t>(at)};
                m_density[op.index()] > 0 && !isKept(regions, op))
                found.push_back({op, m_density[op.index()]});
}

/// What is known while a plan is filled.
struct SavedSets::Filling
{
    base::Bytes peak;
    std::vector<Candidate> candidates;
    plan::Plan plan;
    base::Nanoseconds time; ///< of the plan so far
    int left = kEvaluations;
};

/// Keeps a run of candidates if it fits, else tries its halves, the better one first.
void SavedSets::tryBlock(Filling& filling, std::size_t begin, std::size_t end) const
{
    if (begin == end || filling.left == 0)
        return;
    --filling.left;
    plan::Plan more = filling.plan;
    for (std::size_t at = begin; at < end; ++at)
        keep(more.asRegions().regions, filling.candidates[at].op);
    const plan::EvaluationPtr evaluation = plan::evaluate(m_problem, more);
    if (evaluation->peak <= filling.peak) {
        if (evaluation->stepTime < filling.time) {
            filling.plan = std::move(more);
            filling.time = evaluation->stepTime;
        }
        return;
    }
    if (end - begin == 1)
        return;
    const std::size_t middle = begin + (end - begin) / 2;
    tryBlock(filling, begin, middle);
    tryBlock(filling, middle, end);
}

plan::Plan SavedSets::fill(const plan::Plan& plan, base::Bytes peak) const
{
    Filling filling{peak, {}, plan, plan::evaluate(m_problem, plan)->stepTime};
    collect(plan.regions(), filling.candidates);
    std::stable_sort(filling.candidates.begin(), filling.candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.density > b.density; });
    tryBlock(filling, 0, filling.candidates.size());
    return std::move(filling.plan);
}

} // namespace plimsoll::solve
