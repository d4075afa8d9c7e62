// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/replay_state.h"

#include "core/verify/faults.h"
#include "core/verify/names.h"
#include "core/verify/python_holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::kNever;
using graph::OpIndex;

ReplayState::ReplayState(const Problem& given, const CheckpointRegions& plan,
                         Verification& verification)
    : program{*given.step()}
    , problem{given}
    , seen{verification}
    , heap{program, given.rounding}
    , pins{given}
    , shards{given}
    , tree{program, plan}
    , branches{program, plan, tree}
    , freezesStats{plan.freezeStats}
    , isCode{plan.granularity == Granularity::Op}
    , end{static_cast<OpIndex>(program.ops.size())}
    , forward{static_cast<OpIndex>(program.forwardCount())}
    , allocates(program.ops.size())
    , rows(program.ops.size())
    , events(program.ops.size() + 1)
    , nodeReferences(program.forwardCount(), 0)
    , slots(program.saved.size(), kNoInstance)
    , python{isCode ? codeHolds(program, pythonHolds(program)) : pythonHolds(program)}
    , writes(program.storages.size(), 0)
    , readVersions(program.ops.size())
{
    for (std::size_t i = 0; i < program.storages.size(); ++i) {
        const OpIndex alloc = program.storages[i].alloc;
        if (alloc >= 0 && alloc < end)
            allocates[static_cast<std::size_t>(alloc)].emplace_back(i);
    }
    for (std::size_t i = 0; i < program.saved.size(); ++i)
        rows[program.saved[i].op.index()].push_back(i);
}

std::string ReplayState::describe(OpIndex opIndex) const
{
    return nameOf(program, graph::opAt(opIndex));
}

void ReplayState::fault(FaultKind kind, std::string sentence)
{
    if (seen.faults.size() < FaultList::kMost)
        seen.faults.push_back({kind, std::move(sentence)});
}

void ReplayState::recordStep(OpIndex opIndex, int frame)
{
    const base::Bytes live =
        heap.live() + problem.reserve + shards.during(opIndex, frame != kNoRegion);
    const std::size_t step = seen.liveBytes.size();
    seen.liveBytes.push_back(live);
    pins.watch(opIndex, frame != kNoRegion, heap, seen);
    if (live > seen.peak) {
        // The first step over the budget is told; later ones add nothing.
        if (live > problem.budget && seen.peak <= problem.budget)
            fault(FaultKind::OverBudget,
                  fmt::format("Step {}, {}{}, needs {} bytes: {} more than the budget of {}.", step,
                              frame == kNoRegion ? "" : "the recomputation of ", describe(opIndex),
                              live.count(), (live - problem.budget).count(),
                              problem.budget.count()));
        seen.peak = live;
        seen.peakStep = step;
    }
}

void ReplayState::schedule(OpIndex opIndex, Event event)
{
    if (opIndex == kNever || opIndex >= end)
        return; // outlives the step
    opIndex = std::max(opIndex, now);
    events[static_cast<std::size_t>(opIndex) + 1].push_back(event);
}

} // namespace plimsoll::plan::verifying
