// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/nonpersistent_plans.h"

#include "core/solve/chain/rotor/nonpersistent.h"
#include "core/solve/chain/rotor/rotor.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace plimsoll::solve {

using graph::kNever;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

SequenceRows::SequenceRows(const graph::Program& program, const RecomputeClosure& closure,
                           const LinearizedStep& step, const std::set<graph::StorageId>& kept)
    : m_closure{closure}
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

bool SequenceRows::isUsed(StorageId storage, OpIndex from, OpIndex end) const
{
    const std::vector<OpIndex>& uses = m_closure.usesOf(storage);
    const auto next = std::ranges::lower_bound(uses, from);
    return next != uses.end() && *next < end;
}

/// As simulate() has it.
void SequenceRows::forward(ChainOp op, Held& held)
{
    const auto stage = static_cast<std::size_t>(op.stage);
    if (op.kind == ChainOpKind::Enable) {
        held.saved[stage + 1] = true;
        return;
    }
    if (op.kind == ChainOpKind::NoGrad)
        held.values[stage] = false;
    held.values[stage + 1] = true;
}

void SequenceRows::backward(std::size_t stage, Held& held)
{
    held.saved[stage + 1] = false;
    if (stage > 0 && !held.saved[stage])
        held.values[stage] = false;
}

/// What no kept value and no saved set has. A saved set has what enters the next stage, too.
std::vector<bool> SequenceRows::goneWith(const Held& held) const
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

std::optional<plan::RecomputeStep> SequenceRows::rowOf(const Run& run, std::size_t stage) const
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

std::optional<std::vector<plan::RecomputeStep>> SequenceRows::rowsOf(const Sequence& sequence) const
{
    Held held{std::vector<bool>(m_made.size() + 1, false),
              std::vector<bool>(m_made.size() + 1, false)};
    held.values[0] = true;
    std::map<OpIndex, std::set<OpId>> rows;
    std::optional<Run> run;
    bool isBack = false;
    for (const ChainOp op : sequence) {
        const auto stage = static_cast<std::size_t>(op.stage);
        switch (op.kind) {
        case ChainOpKind::Check:
        case ChainOpKind::NoGrad:
        case ChainOpKind::Enable:
            if (isBack && !run)
                run = Run{goneWith(held), {}};
            if (isBack && op.kind == ChainOpKind::Enable)
                run->saving.push_back(stage);
            forward(op, held);
            break;
        case ChainOpKind::Loss: isBack = true; break;
        case ChainOpKind::DropValue: held.values[stage] = false; break;
        case ChainOpKind::DropSaved: held.saved[stage] = false; break;
        case ChainOpKind::Backward:
            if (run && m_backward[stage] != kNever) { // else with the next stage's
                const std::optional<plan::RecomputeStep> row = rowOf(*run, stage);
                if (!row)
                    return std::nullopt;
                rows[row->before].insert(row->ops.begin(), row->ops.end());
                run.reset();
            }
            backward(stage, held);
            break;
        }
    }
    std::vector<plan::RecomputeStep> found;
    for (const auto& [before, ops] : rows)
        if (!ops.empty())
            found.push_back({before, {ops.begin(), ops.end()}});
    return found;
}

namespace {

/// Of chains; the tables' time grows with the cube.
constexpr std::array<std::size_t, 3> kCounts{24, 48, 96};

std::set<graph::StorageId> keptByPins(const plan::Problem& problem)
{
    std::set<graph::StorageId> kept;
    for (const plan::Pin& pin : problem.pins)
        if (pin.kind == plan::PinKind::Keep)
            kept.insert(pin.storages.begin(), pin.storages.end());
    return kept;
}

base::Result<void> offerChain(const LinearizedStep& step, const SequenceRows& rows, int slots,
                              const base::JobContext& job, const RowsOffer& offer)
{
    const base::Result<std::optional<NonPersistentTable>> built =
        wholeTable<NonPersistentTable>(step.chain, slots, job.piece(0, 2));
    if (!built)
        return tl::unexpected{built.error()};
    if (!*built)
        return {};
    const NonPersistentTable& table = **built;
    const std::vector<ChainFrontierPoint> points = table.frontier();
    const base::JobContext checking = job.piece(1, 2);
    for (std::size_t place = 0; place < points.size(); ++place) {
        if (job.stopRequested())
            return base::cancelled();
        const auto sequence = table.sequence(points[place].budget);
        if (sequence && dropsAnything(*sequence))
            if (std::optional<std::vector<plan::RecomputeStep>> found = rows.rowsOf(*sequence))
                if (base::Result<void> offered = offer(*std::move(found)); !offered)
                    return offered;
        checking.report(place + 1, points.size());
    }
    return {};
}

} // namespace

base::Result<void> offerNonPersistent(const plan::Problem& problem, const RegionSpace& space,
                                      int slots, const base::JobContext& job,
                                      const RowsOffer& offer)
{
    const RecomputeClosure closure{*problem.step()};
    const std::set<graph::StorageId> kept = keptByPins(problem);
    int done = 0;
    for (const std::size_t most : kCounts)
        for (const Residuals residuals : {Residuals::EachCut, Residuals::FirstCut}) {
            base::Result<LinearizedStep> step = linearize(problem, space, residuals, most);
            if (!step)
                return tl::unexpected{step.error()};
            // The step runtime repeats any ops and none too many: no region is forbidden, and a
            // recomputation ends where it may.
            step->chain.regions = {};
            step->chain.ftail.clear();
            const SequenceRows rows{*problem.step(), closure, *step, kept};
            const base::JobContext piece = job.piece(done++, 2 * static_cast<int>(kCounts.size()));
            if (base::Result<void> offered = offerChain(*step, rows, slots, piece, offer); !offered)
                return offered;
        }
    return {};
}

} // namespace plimsoll::solve
