// SPDX-License-Identifier: Apache-2.0
#include "core/lower/checkpoint/dead_nodes.h"
#include "core/lower/checkpoint/region_table.h"
#include "core/lower/lower.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace plimsoll::plan {

namespace {

using graph::kBeforeStep;
using graph::kNever;
using graph::OpIndex;
using graph::Program;
using graph::StorageId;

/// How long Python's variables hold a storage in a planned step: the Python rules of LIFETIMES.md.
class PythonHolds
{
public:
    PythonHolds(const graph::Program& program, const RegionTable& table)
        : m_program{program}
        , m_table{table}
        , m_recorded{table.code() != nullptr ? table.code()->holds() : recordedPythonHolds(program)}
        , m_forward{m_recorded}
    {
        for (std::int32_t region = 0; region < table.size(); ++region) { // parents first
            m_passed.push_back(passedIn(*table[region].region));
            passOn(m_forward, region, true);
        }
        for (std::int32_t region = table.size(); region-- > 0;)
            callersWait(m_forward, region, graph::kBeforeStep);
    }

    /// During the step's own forward.
    [[nodiscard]] OpIndex inForward(StorageId storage) const { return m_forward[storage.index()]; }
    /// By storage: the holds during a region's recomputation, for storages allocated in it; may lie
    /// past the last op that it executes.
    [[nodiscard]] std::vector<OpIndex> inRecomputation(std::int32_t region) const
    {
        std::vector<OpIndex> holds = m_recorded;
        std::int32_t end = region + 1; // its nested regions follow it
        while (end < m_table.size() && m_table[end].parent >= region)
            ++end;
        for (std::int32_t inner = region; inner < end; ++inner)
            passOn(holds, inner, inner != region);
        for (std::int32_t inner = end; inner-- > region + 1;) {
            callersWait(holds, inner, m_table[region].first);
            for (const StorageId argument : m_table[inner].arguments)
                holds[argument.index()] = std::max(holds[argument.index()], m_table[inner].last);
        }
        return holds;
    }

private:
    /// A value that one member of a region passes to the next.
    struct Passed
    {
        StorageId storage;
        OpIndex until = 0;   ///< last op during which the region's own variable holds it
        bool isKept = false; ///< others go on holding it: a result, or passed on before
    };

    [[nodiscard]] std::vector<Passed> passedIn(const Region& region) const
    {
        const std::vector<graph::CallId>& members = region.members;
        if (members.size() < 2)
            return {};
        const std::vector<graph::TensorId>& results = m_program.call(members.back()).outputs;
        const auto isResult = [&](StorageId storage) {
            return std::ranges::any_of(results, [&](graph::TensorId result) {
                return m_program.tensor(result).storage == storage;
            });
        };
        std::vector<Passed> passed;
        std::unordered_set<std::size_t> earlier; // a region may have thousands of members
        for (std::size_t member = 0; member + 1 < members.size(); ++member) {
            const OpIndex until = m_program.call(members[member + 1]).last;
            for (const graph::TensorId output : m_program.call(members[member]).outputs) {
                const StorageId storage = m_program.tensor(output).storage;
                const bool isSeen = !earlier.insert(storage.index()).second;
                passed.push_back({storage, until, isSeen || isResult(storage)});
            }
        }
        return passed;
    }

    /// The region's own variable holds a passed value instead of the callers' variables, which hold
    /// the result.
    void passOn(std::vector<OpIndex>& holds, std::int32_t region, bool callersHoldResults) const
    {
        const std::vector<Passed>& all = m_passed[static_cast<std::size_t>(region)];
        OpIndex callers = graph::kBeforeStep; // as changed by enclosing regions
        for (const Passed& passed : all)
            callers = std::max(callers, holds[passed.storage.index()]);
        for (const Passed& passed : all) {
            OpIndex& hold = holds[passed.storage.index()];
            hold = passed.isKept ? std::max(hold, passed.until) : passed.until;
        }
        const std::vector<graph::CallId>& members = m_table[region].region->members;
        if (!callersHoldResults || members.size() < 2)
            return;
        for (const graph::TensorId result : m_program.call(members.back()).outputs) {
            OpIndex& hold = holds[m_program.tensor(result).storage.index()];
            hold = std::max(hold, callers);
        }
    }

    /// Callers can't release storages that are live when a region begins before it returns. Looks
    /// at storages allocated from `since` on.
    void callersWait(std::vector<OpIndex>& holds, std::int32_t region, OpIndex since) const
    {
        if (m_table.code() != nullptr)
            return; // generated code passes such values as arguments
        const RegionInfo& info = m_table[region];
        for (const StorageId storage : m_table.allocatedIn(since, info.first)) {
            OpIndex& hold = holds[storage.index()];
            if (hold >= info.first && hold < info.last)
                hold = info.last;
        }
    }

    const graph::Program& m_program;
    const RegionTable& m_table;
    std::vector<std::vector<Passed>> m_passed; ///< by region: asked for once in each scope around
    std::vector<OpIndex> m_recorded;           ///< p(S)
    std::vector<OpIndex> m_forward;
};

/// A region's recomputation within the step.
struct Recomputation
{
    std::int32_t firstStep = 0; ///< of its executed ops
    std::int32_t endStep = 0;   ///< of its last executed op
    DeadNodes::Ends ends;       ///< when its nodes and frames go
};

/// Builds the schedule of one plan; the rules and their names are those of LIFETIMES.md. Regions
/// are identified by their index in the table.
class Lowering
{
public:
    Lowering(const Program& program, const CheckpointRegions& plan)
        : m_program{program}
        , m_table{program, plan}
        , m_holds{program, m_table}
        , m_dead{program, m_table}
        , m_recomputations(static_cast<std::size_t>(m_table.size()))
    {
    }

    Schedule run() &&
    {
        placeSteps();
        followNodes();
        recordedLives();
        for (const std::int32_t region : m_order)
            recomputedLives(region);
        m_schedule.saved = savedForBackward();
        return std::move(m_schedule);
    }

private:
    [[nodiscard]] Recomputation& recomputationOf(std::int32_t region)
    {
        return m_recomputations[static_cast<std::size_t>(region)];
    }
    [[nodiscard]] const Recomputation& recomputationOf(std::int32_t region) const
    {
        return m_recomputations[static_cast<std::size_t>(region)];
    }
    [[nodiscard]] bool isRecomputed(std::int32_t region) const
    {
        return m_table[region].trigger != kNever;
    }

    /// The order at one place: parents before children, independent ones by descending first op.
    void placeSteps()
    {
        for (std::int32_t region = 0; region < m_table.size(); ++region)
            if (isRecomputed(region))
                m_order.push_back(region);
        std::ranges::stable_sort(m_order, [this](std::int32_t a, std::int32_t b) {
            if (m_table[a].trigger != m_table[b].trigger)
                return m_table[a].trigger < m_table[b].trigger;
            return m_table.outranks(a, b);
        });
        m_schedule.stepOfOp.resize(m_program.ops.size());
        auto next = m_order.begin();
        const auto recomputeBefore = [&](std::size_t op) {
            for (; next != m_order.end() && m_table[*next].trigger == static_cast<OpIndex>(op);
                 ++next)
                addRecomputation(*next);
        };
        for (std::size_t op = 0; op < m_program.ops.size(); ++op) {
            recomputeBefore(op);
            m_schedule.stepOfOp[op] = static_cast<std::int32_t>(m_schedule.steps.size());
            m_schedule.steps.push_back({graph::OpId{op}, -1});
        }
        recomputeBefore(m_program.ops.size()); // a node without ops may unpack after the last op
    }

    void addRecomputation(std::int32_t region)
    {
        Recomputation& recomputation = recomputationOf(region);
        recomputation.firstStep = static_cast<std::int32_t>(m_schedule.steps.size());
        for (OpIndex op = m_table[region].first; op <= m_table[region].lastExecuted; ++op)
            if (!m_table.isLeftOut(graph::opAt(op), region))
                m_schedule.steps.push_back({graph::opAt(op), region});
        recomputation.endStep = static_cast<std::int32_t>(m_schedule.steps.size()) - 1;
    }

    /// Determines when nodes and frames are freed, in forward and in every recomputation.
    void followNodes()
    {
        m_ends = m_dead.follow({-1, [this](OpIndex opIndex) { return stepAfter(opIndex); },
                                [this](std::int32_t region) { return ranUntil(region); }});
        for (const std::int32_t around : m_order)
            recomputationOf(around).ends = m_dead.follow(
                {around, [&](OpIndex opIndex) { return stepIn(around, opIndex); },
                 [&](std::int32_t region) { return stepIn(around, m_table[region].last); }});
    }

    void recordedLives()
    {
        const auto forwardOps = static_cast<OpIndex>(m_program.forwardCount());
        for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
            const graph::Storage& storage = m_program.storages[index];
            const StorageId id{index};
            const bool lasting = storage.alloc < 0 && storage.free == kNever;
            const bool isForward = storage.alloc < forwardOps && !lasting;
            std::int32_t free = isForward ? forwardHold(id) : stepAfter(storage.free);
            if (storage.alloc >= 0 && !storage.isScratch()
                && m_table.isKept(graph::opAt(storage.alloc)))
                free = std::max(free, cacheEnd(storage.alloc));
            m_schedule.instances.push_back({id, stepAfter(storage.alloc), free, -1});
        }
    }

    /// The bytes that ops outside of regions save, plus the arguments of the outermost regions,
    /// which their checkpoints save.
    [[nodiscard]] base::Bytes savedForBackward() const
    {
        std::vector<bool> isCounted(m_program.storages.size(), false);
        base::Bytes sum;
        const auto count = [&](StorageId storage) {
            if (!isCounted[storage.index()])
                sum += m_program.storage(storage).bytes;
            isCounted[storage.index()] = true;
        };
        for (std::int32_t region = 0; region < m_table.size(); ++region)
            if (m_table[region].parent < 0)
                std::ranges::for_each(m_table[region].arguments, count);
        for (const graph::Saved& row : m_program.saved)
            if (m_table.innermost(row.op) < 0)
                count(m_program.tensor(row.tensor).storage);
        return sum;
    }

    /// BACKWARD, Lives: the instances that one recomputation allocates.
    void recomputedLives(std::int32_t region)
    {
        const RegionInfo& info = m_table[region];
        const std::vector<OpIndex> holds = m_holds.inRecomputation(region);
        for (OpIndex op = info.first; op <= info.lastExecuted; ++op) {
            const graph::OpId id = graph::opAt(op);
            const std::int32_t step = stepIn(region, op);
            for (const StorageId storage : m_table.allocatedIn(op, op + 1)) {
                const std::int32_t held = stepIn(region, holds[storage.index()]);
                std::int32_t free = std::max({step, held, tablesHold(storage, region)});
                const bool isScratch = m_program.storage(storage).isScratch();
                if (isScratch && m_table.isLeftOut(id, region))
                    continue;                        // the kernel doesn't run
                if (m_table.isLeftOut(id, region)) { // the value kept in forward is used
                    Instance& kept = m_schedule.instances[storage.index()];
                    kept.free = std::max(kept.free, free);
                    continue;
                }
                // A nested region's function runs anew and keeps it again.
                if (m_table.isKept(id) && !isScratch)
                    free =
                        std::max(free, recomputationOf(region).ends.frame(m_table.innermost(id)));
                m_schedule.instances.push_back({storage, step, free, region});
            }
        }
    }

    /// Kept: how long the frame of the op's region holds the op's results if no recomputation takes
    /// them over; -1 if one does.
    [[nodiscard]] std::int32_t cacheEnd(OpIndex op) const
    {
        const std::int32_t region = m_table.innermost(graph::opAt(op));
        return isRecomputed(region) && op <= m_table[region].lastExecuted ? -1
                                                                          : m_ends.frame(region);
    }

    /// The step of a recorded op's own execution; -1 before the step, INT32_MAX for kNever.
    [[nodiscard]] std::int32_t stepAfter(OpIndex opIndex) const
    {
        if (opIndex == kNever)
            return INT32_MAX;
        return opIndex == kBeforeStep ? -1 : m_schedule.ownStep(opIndex);
    }

    /// The step at which a recomputation executes an op: its end if it doesn't reach the op, the
    /// preceding op if the op is left out.
    [[nodiscard]] std::int32_t stepIn(std::int32_t region, OpIndex opIndex) const
    {
        const Recomputation& recomputation = recomputationOf(region);
        if (opIndex < m_table[region].first || opIndex > m_table[region].lastExecuted)
            return recomputation.endStep;
        return recomputation.firstStep + m_table.executedUpTo(opIndex, region) - 1;
    }

    /// How long a region itself keeps its frame: during its call, its recomputations and those
    /// nested inside. A node that runs no op unpacks before it releases.
    [[nodiscard]] std::int32_t ranUntil(std::int32_t region) const
    {
        std::int32_t end = stepAfter(m_table[region].last);
        for (const std::int32_t inner : m_order)
            if (m_table.isWithin(inner, region))
                end = std::max(end, recomputationOf(inner).endStep);
        return end;
    }

    /// FORWARD: the last step of a storage allocated before or during forward and loss.
    [[nodiscard]] std::int32_t forwardHold(StorageId storage) const
    {
        std::int32_t hold = stepAfter(m_holds.inForward(storage));
        for (const std::uint32_t row : m_table.rowsOf(storage))
            if (m_table.innermost(m_program.saved[row].op) < 0)
                hold = std::max(hold, rowEnd(row));
        for (const std::int32_t region : m_table.regionsTaking(storage))
            hold = std::max(hold, m_table[region].parent < 0 ? m_ends.frame(region)
                                                             : stepAfter(m_table[region].last));
        return hold;
    }

    /// The step after which a node of forward releases what it packed.
    [[nodiscard]] std::int32_t rowEnd(std::uint32_t row) const
    {
        const graph::Saved& saved = m_program.saved[row];
        return m_dead.owns(row) ? m_ends.node(m_dead.nodeOf(saved.op)) : stepAfter(saved.released);
    }

    /// When something is freed that is bound to what forward made (`end`), if that is still alive,
    /// and otherwise to what the recomputation makes (`again`).
    [[nodiscard]] std::int32_t standing(std::int32_t region, std::int32_t end,
                                        std::int32_t again) const
    {
        const Recomputation& recomputation = recomputationOf(region);
        return end >= recomputation.firstStep ? std::max(end, recomputation.endStep) : again;
    }

    /// The same for a row that nothing unpacks.
    [[nodiscard]] std::int32_t deadRowEnd(std::int32_t region, std::uint32_t row) const
    {
        const graph::Saved& saved = m_program.saved[row];
        const std::int32_t again = m_dead.owns(row)
                                       ? recomputationOf(region).ends.node(m_dead.nodeOf(saved.op))
                                       : stepIn(region, saved.released);
        return standing(region, rowEnd(row), again);
    }

    /// Packed, Arguments of nested regions, Packed again: how long the tables of a recomputation
    /// and of those nested in it hold a storage; -1 if they don't.
    [[nodiscard]] std::int32_t tablesHold(StorageId storage, std::int32_t region) const
    {
        const Recomputation& recomputation = recomputationOf(region);
        std::int32_t hold = -1;
        for (const std::uint32_t row : m_table.rowsOf(storage)) {
            const graph::Saved& saved = m_program.saved[row];
            if (m_table.innermost(saved.op) != region || !m_table.isPacked(row, region))
                continue;
            hold = std::max(hold, saved.unpack
                                      ? std::max(stepAfter(saved.dropped), recomputation.endStep)
                                      : deadRowEnd(region, row));
        }
        for (const std::int32_t nested : m_table.regionsTaking(storage)) {
            const RegionInfo& inner = m_table[nested];
            if (inner.parent != region || inner.first > m_table[region].stopOp)
                continue;
            if (isRecomputed(nested))
                hold =
                    std::max({hold, recomputationOf(nested).endStep, tablesHold(storage, nested)});
            else if (inner.hasRows)
                hold = std::max(
                    hold, standing(region, m_ends.frame(nested), recomputation.ends.frame(nested)));
        }
        return hold;
    }

    const Program& m_program;
    RegionTable m_table;
    PythonHolds m_holds;
    Schedule m_schedule;
    DeadNodes m_dead;
    DeadNodes::Ends m_ends;                      ///< of the step's own forward
    std::vector<Recomputation> m_recomputations; ///< by region
    std::vector<std::int32_t> m_order;           ///< regions that are recomputed, as they are
};

} // namespace

Schedule lower(const Program& program, const CheckpointRegions& plan)
{
    return Lowering{program, plan}.run();
}

} // namespace plimsoll::plan
