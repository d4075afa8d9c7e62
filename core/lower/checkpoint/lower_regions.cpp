// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/dead_nodes.h"
#include "core/lower/checkpoint/python_holds.h"
#include "core/lower/checkpoint/region_table.h"
#include "core/lower/lower.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace plimsoll::plan {

namespace {

using graph::kBeforeStep;
using graph::kNever;
using graph::OpIndex;
using graph::Program;
using graph::StorageId;

/// A recomputation's place in the step.
struct Recomputation
{
    std::int32_t region = -1;
    OpIndex trigger = 0;
    std::int32_t firstStep = 0; ///< of its executed ops
    std::int32_t endStep = 0;   ///< of its last executed op
};

/// Builds the schedule of one plan; the rules and their names are those of LIFETIMES.md.
class Lowering
{
public:
    Lowering(const Program& program, const CheckpointRegions& plan)
        : m_program{program}
        , m_table{program, plan}
        , m_holds{program, m_table}
        , m_dead{program, m_table}
    {
    }

    Schedule run() &&
    {
        placeSteps();
        followNodes();
        recordedLives();
        for (const Recomputation& recomputation : m_recomputations)
            recomputedLives(recomputation);
        return std::move(m_schedule);
    }

private:
    void placeSteps();
    void followNodes();
    void recordedLives();
    void recomputedLives(const Recomputation& recomputation);
    [[nodiscard]] std::int32_t cacheEnd(graph::OpId op) const;
    /// When nodes and frames of a recomputation go.
    [[nodiscard]] const DeadNodes::Ends& endsIn(const Recomputation& recomputation) const
    {
        return m_again[static_cast<std::size_t>(&recomputation - m_recomputations.data())];
    }
    [[nodiscard]] std::int32_t stepAfter(OpIndex opIndex) const;
    [[nodiscard]] std::int32_t ranUntil(std::size_t region) const;
    [[nodiscard]] std::int32_t rowEnd(std::uint32_t row) const;
    [[nodiscard]] std::int32_t forwardHold(StorageId storage) const;
    [[nodiscard]] std::int32_t stepIn(const Recomputation& recomputation, OpIndex opIndex) const;
    [[nodiscard]] std::int32_t deadRowEnd(const Recomputation& recomputation,
                                          std::uint32_t row) const;
    [[nodiscard]] static std::int32_t standing(const Recomputation& recomputation, std::int32_t end,
                                               std::int32_t again);
    [[nodiscard]] std::int32_t tablesHold(StorageId storage,
                                          const Recomputation& recomputation) const;

    const Program& m_program;
    RegionTable m_table;
    PythonHolds m_holds;
    Schedule m_schedule;
    std::vector<Recomputation> m_recomputations;
    DeadNodes m_dead;
    DeadNodes::Ends m_ends;                      ///< of the step's own forward
    std::vector<DeadNodes::Ends> m_again;        ///< by recomputation
    std::vector<std::int32_t> m_recomputationOf; ///< by region, -1: never recomputed
};

/// Order at one place: a parent before its child, independent ones by falling first op.
void Lowering::placeSteps()
{
    for (std::size_t region = 0; region < m_table.size(); ++region)
        if (m_table[region].trigger != kNever)
            m_recomputations.push_back(
                {static_cast<std::int32_t>(region), m_table[region].trigger, 0, 0});
    std::ranges::stable_sort(m_recomputations,
                             [this](const Recomputation& a, const Recomputation& b) {
                                 if (a.trigger != b.trigger)
                                     return a.trigger < b.trigger;
                                 return m_table.outranks(static_cast<std::size_t>(a.region),
                                                         static_cast<std::size_t>(b.region));
                             });
    m_recomputationOf.assign(m_table.size(), -1);
    m_schedule.stepOfOp.resize(m_program.ops.size());
    std::size_t next = 0;
    for (std::size_t op = 0; op <= m_program.ops.size();
         ++op) { // a node without ops may unpack after the last one
        for (; next < m_recomputations.size()
               && m_recomputations[next].trigger == static_cast<OpIndex>(op);
             ++next) {
            Recomputation& recomputation = m_recomputations[next];
            const RegionInfo& info = m_table[static_cast<std::size_t>(recomputation.region)];
            m_recomputationOf[static_cast<std::size_t>(recomputation.region)] =
                static_cast<std::int32_t>(next);
            recomputation.firstStep = static_cast<std::int32_t>(m_schedule.steps.size());
            for (OpIndex again = info.first; again <= info.lastExecuted; ++again)
                if (const graph::OpId id{static_cast<std::size_t>(again)};
                    !m_table.isLeftOut(id, static_cast<std::size_t>(recomputation.region)))
                    m_schedule.steps.push_back({id, recomputation.region});
            recomputation.endStep = static_cast<std::int32_t>(m_schedule.steps.size()) - 1;
        }
        if (op == m_program.ops.size())
            return;
        m_schedule.stepOfOp[op] = static_cast<std::int32_t>(m_schedule.steps.size());
        m_schedule.steps.push_back({graph::OpId{op}, -1});
    }
}

/// The step after which something happens that the recording saw at a moment.
std::int32_t Lowering::stepAfter(OpIndex opIndex) const
{
    if (opIndex == kNever)
        return INT32_MAX;
    return opIndex == kBeforeStep ? -1 : m_schedule.ownStep(opIndex);
}

/// When nodes and frames go, in forward and in every recomputation.
void Lowering::followNodes()
{
    m_ends = m_dead.follow({-1, [this](OpIndex opIndex) { return stepAfter(opIndex); },
                            [this](std::size_t region) { return ranUntil(region); }});
    for (const Recomputation& recomputation : m_recomputations)
        m_again.push_back(m_dead.follow(
            {recomputation.region, [&](OpIndex opIndex) { return stepIn(recomputation, opIndex); },
             [&](std::size_t region) { return stepIn(recomputation, m_table[region].last); }}));
}

/// Until when a region itself keeps its frame: its call, and its recomputations and those inside. A
/// node that runs no op unpacks before it lets go.
std::int32_t Lowering::ranUntil(std::size_t region) const
{
    std::int32_t end = stepAfter(m_table[region].last);
    for (const Recomputation& recomputation : m_recomputations)
        if (m_table.isWithin(static_cast<std::size_t>(recomputation.region), region))
            end = std::max(end, recomputation.endStep);
    return end;
}

/// FORWARD: the last step of a storage allocated before or during forward and loss.
std::int32_t Lowering::forwardHold(StorageId storage) const
{
    std::int32_t hold = stepAfter(m_holds.inForward(storage));
    for (const std::uint32_t row : m_table.rowsOf(storage)) {
        const graph::Saved& saved = m_program.saved[row];
        if (m_table.innermost(saved.op) < 0)
            hold = std::max(hold, rowEnd(row));
    }
    for (const std::int32_t region : m_table.regionsTaking(storage)) {
        const RegionInfo& info = m_table[static_cast<std::size_t>(region)];
        hold = std::max(hold, info.parent < 0 ? m_ends.frame(static_cast<std::size_t>(region))
                                              : stepAfter(info.last));
    }
    return hold;
}

void Lowering::recordedLives()
{
    const auto forwardOps = static_cast<OpIndex>(m_program.forwardCount());
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        const graph::Storage& storage = m_program.storages[index];
        const StorageId id{index};
        const bool lasting = storage.alloc < 0 && storage.free == kNever;
        const bool isForward = storage.alloc < forwardOps && !lasting;
        std::int32_t free = isForward ? forwardHold(id) : stepAfter(storage.free);
        if (storage.alloc >= 0)
            if (const graph::OpId op{static_cast<std::size_t>(storage.alloc)}; m_table.isKept(op))
                free = std::max(free, cacheEnd(op));
        m_schedule.instances.push_back({id, stepAfter(storage.alloc), free, -1});
    }
}

/// Where a moment that a recomputation may execute lies; what it doesn't reach counts as its end. A
/// moment at an op that is left out is the end of the op before.
std::int32_t Lowering::stepIn(const Recomputation& recomputation, OpIndex opIndex) const
{
    const auto region = static_cast<std::size_t>(recomputation.region);
    const RegionInfo& info = m_table[region];
    if (opIndex < info.first || opIndex > info.lastExecuted)
        return recomputation.endStep;
    return recomputation.firstStep + m_table.executedUpTo(opIndex, region) - 1;
}

/// The step after which a node of forward lets go what it packed.
std::int32_t Lowering::rowEnd(std::uint32_t row) const
{
    const graph::Saved& saved = m_program.saved[row];
    return m_dead.owns(row) ? m_ends.node(m_dead.nodeOf(saved.op)) : stepAfter(saved.released);
}

/// Until when something lives that goes with what forward made (`end`), where that still stands,
/// else with what the recomputation makes (`again`).
std::int32_t Lowering::standing(const Recomputation& recomputation, std::int32_t end,
                                std::int32_t again)
{
    return end >= recomputation.firstStep ? std::max(end, recomputation.endStep) : again;
}

/// The same for a row that nobody unpacks.
std::int32_t Lowering::deadRowEnd(const Recomputation& recomputation, std::uint32_t row) const
{
    const graph::Saved& saved = m_program.saved[row];
    const std::int32_t again = m_dead.owns(row)
                                   ? endsIn(recomputation).node(m_dead.nodeOf(saved.op))
                                   : stepIn(recomputation, saved.released);
    return standing(recomputation, rowEnd(row), again);
}

/// Packed, Arguments of nested regions, Packed again: until when a recomputation's table and those
/// of the recomputations nested in it hold a storage; -1: not at all.
std::int32_t Lowering::tablesHold(StorageId storage, const Recomputation& recomputation) const
{
    const auto region = static_cast<std::size_t>(recomputation.region);
    const RegionInfo& info = m_table[region];
    std::int32_t hold = -1;
    for (const std::uint32_t row : m_table.rowsOf(storage)) {
        const graph::Saved& saved = m_program.saved[row];
        if (m_table.innermost(saved.op) != recomputation.region || !m_table.isPacked(row, region))
            continue;
        hold =
            std::max(hold, saved.unpack ? std::max(stepAfter(saved.dropped), recomputation.endStep)
                                        : deadRowEnd(recomputation, row));
    }
    for (const std::int32_t nested : m_table.regionsTaking(storage)) {
        const RegionInfo& inner = m_table[static_cast<std::size_t>(nested)];
        if (inner.parent != recomputation.region || inner.first > info.stopOp)
            continue;
        const std::int32_t again = m_recomputationOf[static_cast<std::size_t>(nested)];
        if (again >= 0) {
            const Recomputation& deeper = m_recomputations[static_cast<std::size_t>(again)];
            hold = std::max({hold, deeper.endStep, tablesHold(storage, deeper)});
        } else if (inner.hasRows) {
            const auto frame = static_cast<std::size_t>(nested);
            hold = std::max(hold, standing(recomputation, m_ends.frame(frame),
                                           endsIn(recomputation).frame(frame)));
        }
    }
    return hold;
}

/// BACKWARD, Lives: the instances that one recomputation allocates.
void Lowering::recomputedLives(const Recomputation& recomputation)
{
    const auto region = static_cast<std::size_t>(recomputation.region);
    const RegionInfo& info = m_table[region];
    for (OpIndex op = info.first; op <= info.lastExecuted; ++op) {
        const graph::OpId id{static_cast<std::size_t>(op)};
        const std::int32_t step = stepIn(recomputation, op);
        for (const StorageId storage : m_table.allocatedBy(id)) {
            const std::int32_t held =
                stepIn(recomputation, m_holds.inRecomputation(storage, region));
            std::int32_t free = std::max({step, held, tablesHold(storage, recomputation)});
            if (m_table.isLeftOut(id, region)) { // goes on with what forward has kept
                Instance& kept = m_schedule.instances[storage.index()];
                kept.free = std::max(kept.free, free);
                continue;
            }
            if (m_table.isKept(id)) // for a nested region, whose function runs anew and keeps, too
                free = std::max(
                    free,
                    endsIn(recomputation).frame(static_cast<std::size_t>(m_table.innermost(id))));
            m_schedule.instances.push_back({storage, step, free, recomputation.region});
        }
    }
}

/// Kept: until when the frame of the op's region holds its results where no recomputation takes
/// them over; -1: one does.
std::int32_t Lowering::cacheEnd(graph::OpId op) const
{
    const std::int32_t region = m_table.innermost(op);
    const RegionInfo& info = m_table[static_cast<std::size_t>(region)];
    const bool isTaken = m_recomputationOf[static_cast<std::size_t>(region)] >= 0
                         && static_cast<OpIndex>(op.index()) <= info.lastExecuted;
    return isTaken ? -1 : m_ends.frame(static_cast<std::size_t>(region));
}

} // namespace

Schedule lowerRegions(const Program& program, const CheckpointRegions& plan)
{
    return Lowering{program, plan}.run();
}

} // namespace plimsoll::plan
