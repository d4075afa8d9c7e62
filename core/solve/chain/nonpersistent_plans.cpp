// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/nonpersistent_plans.h"

#include "core/base/try.h"
#include "core/solve/chain/rotor/chain_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace plimsoll::solve {

using graph::kNever;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

namespace {

class RowsOfSequences
{
public:
    RowsOfSequences(const graph::Program& program, const RecomputeClosure& closure,
                    const LinearizedStep& step, const std::set<graph::StorageId>& kept)
        : m_closure{closure}
        , m_chain{step.chain}
        , m_end{static_cast<OpIndex>(program.countBeforeOptimizer())}
        , m_made(step.stages.size())
        , m_cuts(program.storages.size())
        , m_backward(step.stages.size(), kNever)
    {
        for (std::size_t stage = 0; stage < step.stages.size(); ++stage)
            for (const StorageId storage : step.stages[stage].crossing)
                m_cuts[storage.index()].push_back(stage);
        const auto forward = static_cast<OpIndex>(program.forwardCount());
        std::vector<std::size_t> stageOf;
        for (std::size_t stage = 0; stage < step.stages.size(); ++stage)
            stageOf.resize(static_cast<std::size_t>(step.stages[stage].last) + 1, stage);
        for (std::size_t index = 0; index < program.storages.size(); ++index) {
            const OpIndex alloc = program.storages[index].alloc;
            if (alloc < 0 || static_cast<std::size_t>(alloc) >= stageOf.size())
                continue;
            const std::size_t stage = stageOf[static_cast<std::size_t>(alloc)];
            if (!kept.contains(StorageId{index}))
                m_made[stage].emplace_back(index);
            if (!m_cuts[index].empty())
                continue; // a later stage's backward may be the first to use it
            const std::vector<OpIndex>& uses = m_closure.usesOf(StorageId{index});
            const auto first = std::ranges::lower_bound(uses, forward);
            if (first != uses.end() && *first < m_end)
                m_backward[stage] = std::min(m_backward[stage], *first);
        }
    }

    [[nodiscard]] std::optional<std::vector<plan::RecomputeStep>>
    operator()(const Sequence& sequence) const
    {
        std::map<OpIndex, std::set<OpId>> rows;
        std::optional<Run> run;
        bool isBack = false;
        bool canRepeat = true;
        const auto before = [&](ChainOp op, const ChainMemory& held) {
            const auto stage = static_cast<std::size_t>(op.stage);
            const bool saves = op.kind == ChainOpKind::Enable;
            if (op.kind == ChainOpKind::Loss)
                isBack = true;
            if (isBack && !run
                && (saves || op.kind == ChainOpKind::Check || op.kind == ChainOpKind::NoGrad))
                run = Run{goneWith(held), {}};
            if (isBack && saves)
                run->saving.push_back(stage);
            if (op.kind != ChainOpKind::Backward || !run || m_backward[stage] == kNever)
                return; // backward uses nothing: recompute with the next stage's row
            const std::optional<plan::RecomputeStep> row = rowOf(*run, stage);
            canRepeat = canRepeat && row;
            if (row)
                rows[row->before].insert(row->ops.begin(), row->ops.end());
            run.reset();
        };
        if (!simulate(m_chain, sequence, before) || !canRepeat)
            return std::nullopt;
        std::vector<plan::RecomputeStep> found;
        for (const auto& [at, ops] : rows)
            if (!ops.empty())
                found.push_back({at, {ops.begin(), ops.end()}});
        return found;
    }

private:
    /// The forward runs that precede one backward.
    struct Run
    {
        std::vector<bool> isGone; ///< by storage, before the run
        std::vector<std::size_t> saving;
    };

    [[nodiscard]] bool isUsed(StorageId storage, OpIndex from, OpIndex end) const
    {
        const std::vector<OpIndex>& uses = m_closure.usesOf(storage);
        const auto next = std::ranges::lower_bound(uses, from);
        return next != uses.end() && *next < end;
    }

    /// Storages in neither a kept value nor a saved set. A saved set includes the stage's output.
    [[nodiscard]] std::vector<bool> goneWith(const ChainMemory& held) const
    {
        std::vector<bool> isGone(m_cuts.size(), false);
        for (std::size_t stage = 0; stage < m_made.size(); ++stage)
            for (const StorageId storage : m_made[stage]) {
                const std::vector<std::size_t>& cuts = m_cuts[storage.index()];
                isGone[storage.index()] =
                    !held.saved[stage + 1] && std::ranges::none_of(cuts, [&held](std::size_t cut) {
                        return held.values[cut] || held.saved[cut];
                    });
            }
        return isGone;
    }

    [[nodiscard]] std::optional<plan::RecomputeStep> rowOf(const Run& run, std::size_t stage) const
    {
        const OpIndex before = m_backward[stage];
        const OpIndex next = stage > 0 ? std::max(m_backward[stage - 1], before) : m_end;
        std::vector<StorageId> wanted;
        for (std::size_t made = 0; made < m_made.size(); ++made) {
            const bool saves = std::ranges::find(run.saving, made) != run.saving.end();
            for (const StorageId storage : m_made[made])
                if (run.isGone[storage.index()]
                    && isUsed(storage, before, saves ? m_end : std::min(next, m_end)))
                    wanted.push_back(storage);
        }
        std::optional<std::vector<OpId>> ops = m_closure.before(before, wanted, run.isGone);
        if (!ops)
            return std::nullopt;
        return plan::RecomputeStep{before, *std::move(ops)};
    }

    const RecomputeClosure& m_closure;
    const Chain& m_chain;
    OpIndex m_end;                                ///< of backward
    std::vector<std::vector<StorageId>> m_made;   ///< by stage: droppable values made in forward
    std::vector<std::vector<std::size_t>> m_cuts; ///< by storage: stages that it enters
    std::vector<OpIndex> m_backward; ///< by stage: backward op that first uses something that stays
                                     ///< inside of it; kNever: none does
};

/// Stage counts of the chains tried; a table takes time cubic in the count.
constexpr std::array<std::size_t, 3> kStageCounts{24, 48, 96};

std::set<graph::StorageId> keptByPins(const plan::Problem& problem)
{
    std::set<graph::StorageId> kept;
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Keep)
            kept.insert(pin.storages.begin(), pin.storages.end());
    return kept;
}

std::vector<std::size_t> rising(std::size_t count)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

} // namespace

SequenceRows sequenceRows(const graph::Program& program, const RecomputeClosure& closure,
                          const LinearizedStep& step, const std::set<StorageId>& kept)
{
    return RowsOfSequences{program, closure, step, kept};
}

base::Result<void> offerNonPersistent(const plan::Problem& problem, const RegionSpace& space,
                                      int slots, const base::JobContext& job,
                                      const RowsOffer& offer)
{
    const RecomputeClosure closure{*problem.step()};
    const std::set<graph::StorageId> kept = keptByPins(problem);
    int done = 0;
    for (const std::size_t most : kStageCounts)
        for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
            ASSIGN_OR_RETURN(LinearizedStep step, linearize(problem, space, residuals, most));
            // The step runtime can recompute any op and nothing beyond it: no region is forbidden,
            // and a recomputation may end anywhere.
            step.chain.regions = {};
            step.chain.ftail.clear();
            const SequenceRows rows = sequenceRows(*problem.step(), closure, step, kept);
            const base::JobContext piece =
                job.piece(done++, 2 * static_cast<int>(kStageCounts.size()));
            const auto visit = [&](const Sequence& sequence) -> base::Result<void> {
                if (!dropsAnything(sequence))
                    return {};
                std::optional<std::vector<plan::RecomputeStep>> found = rows(sequence);
                return found ? offer(*std::move(found)) : base::Result<void>{};
            };
            RETURN_IF_ERROR(
                visitSchedules(buildNonPersistentTable, step.chain, slots, rising, piece, visit));
        }
    return {};
}

} // namespace plimsoll::solve
