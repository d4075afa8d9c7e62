// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/replay.h"

#include "core/verify/faults.h"
#include "core/verify/legality/regions.h"
#include "core/verify/names.h"
#include "core/verify/python_holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

namespace {

} // namespace

using graph::kBeforeStep;
using graph::kNever;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

Replay::Replay(const Problem& problem, const CheckpointRegions& plan, Verification& seen)
    : m_program{*problem.program}
    , m_problem{problem}
    , m_seen{seen}
    , m_heap{*problem.program, problem.rounding}
    , m_pins{problem}
    , m_shards{problem}
    , m_tree{*problem.program, plan}
    , m_branches{*problem.program, plan, m_tree}
    , m_freezesStats{plan.freezeStats}
    , m_isCode{plan.granularity == Granularity::Op}
    , m_end{static_cast<OpIndex>(problem.program->ops.size())}
    , m_forward{static_cast<OpIndex>(problem.program->forwardCount())}
    , m_allocates(problem.program->ops.size())
    , m_rows(problem.program->ops.size())
    , m_wanted(problem.program->ops.size() + 1)
    , m_nodeReferences(problem.program->forwardCount(), 0)
    , m_keptByRow(problem.program->saved.size(), kNoInstance)
    , m_slots(problem.program->saved.size(), kNoInstance)
    , m_events(problem.program->ops.size() + 1)
    , m_python{m_isCode ? codeHolds(*problem.program, pythonHolds(*problem.program))
                        : pythonHolds(*problem.program)}
    , m_held{m_python}
    , m_writes(problem.program->storages.size(), 0)
    , m_readVersions(problem.program->ops.size())
    , m_local{m_python}
    , m_made(problem.program->storages.size(), kNoInstance)
    , m_localEvents(problem.program->ops.size())
{
    indexProgram();
    m_tree.passVariables(kNoRegion, m_held);
}

void Replay::indexProgram()
{
    for (std::size_t i = 0; i < m_program.storages.size(); ++i) {
        const OpIndex alloc = m_program.storages[i].alloc;
        if (alloc >= 0 && alloc < m_end)
            m_allocates[static_cast<std::size_t>(alloc)].emplace_back(i);
    }
    for (std::size_t i = 0; i < m_program.saved.size(); ++i) {
        const graph::Saved& row = m_program.saved[i];
        m_rows[row.op.index()].push_back(i);
        const int frame = m_tree.innermost(static_cast<OpIndex>(row.op.index()));
        if (frame == kNoRegion || !row.unpack || *row.unpack < 0 || *row.unpack > m_end)
            continue;
        m_wanted[static_cast<std::size_t>(*row.unpack)].push_back(frame);
        m_rowsOfNode[row.sequence].push_back(i);
    }
}

void Replay::run()
{
    begin();
    for (OpIndex op = 0; op < m_end; ++op) {
        recomputeBefore(op);
        execute(op);
        m_now = op;
        makeNode(op);
        pack(op, true);
        prepare(op + 1);
        letGo(op);
    }
    recomputeBefore(m_end);
}

void Replay::begin()
{
    for (std::size_t i = 0; i < m_program.storages.size(); ++i) {
        if (m_program.storages[i].alloc >= 0)
            continue;
        const StorageId storage{i};
        schedule(m_held[i], {Event::Kind::Variable, m_heap.create(storage, true)});
    }
    prepare(0);
    letGo(kBeforeStep);
}

std::string Replay::describe(OpIndex moment) const
{
    return nameOf(m_program, graph::opAt(moment));
}

void Replay::fault(FaultKind kind, std::string sentence)
{
    if (m_seen.faults.size() < FaultList::kMost)
        m_seen.faults.push_back({kind, std::move(sentence)});
}

void Replay::recordStep(OpIndex op, int frame)
{
    const base::Bytes live =
        m_heap.live() + m_problem.reserve + m_shards.during(op, frame != kNoRegion);
    const std::size_t step = m_seen.liveBytes.size();
    m_seen.liveBytes.push_back(live);
    m_pins.watch(op, frame != kNoRegion, m_heap, m_seen);
    if (live > m_seen.peak) {
        // The first step over the budget is told; later ones add nothing.
        if (live > m_problem.budget && m_seen.peak <= m_problem.budget)
            fault(FaultKind::OverBudget,
                  fmt::format("Step {}, {}{}, needs {} bytes: {} more than the budget of {}.", step,
                              frame == kNoRegion ? "" : "the recomputation of ", describe(op),
                              live.count(), (live - m_problem.budget).count(),
                              m_problem.budget.count()));
        m_seen.peak = live;
        m_seen.peakStep = step;
    }
}

void Replay::execute(OpIndex moment)
{
    checkReads(moment);
    for (const StorageId storage : m_allocates[static_cast<std::size_t>(moment)]) {
        const InstanceId made = m_heap.create(storage, true);
        if (moment < m_forward)
            schedule(std::max(m_held[storage.index()], moment), {Event::Kind::Variable, made});
        else
            schedule(std::max(m_program.storage(storage).free, moment),
                     {Event::Kind::Release, made});
        if (moment < m_forward && m_tree.isSaved(moment)) {
            m_heap.acquire(made);
            m_tree[m_tree.innermost(moment)].copies.push_back(made);
        }
    }
    recordStep(moment, kNoRegion);
    for (const TensorId tensor : op(moment).writes) {
        const StorageId storage = storageOf(tensor);
        ++m_writes[storage.index()];
        if (m_heap.isAlive(m_heap.original(storage)))
            m_heap.write(m_heap.original(storage));
        else
            for (const InstanceId instance : m_heap.alive(storage))
                m_heap.write(instance);
    }
}

void Replay::checkReads(OpIndex moment)
{
    const auto check = [&](const std::vector<TensorId>& tensors) {
        for (const TensorId tensor : tensors) {
            const StorageId storage = storageOf(tensor);
            if (moment < m_forward)
                m_readVersions[static_cast<std::size_t>(moment)].push_back(
                    m_writes[storage.index()]);
            if (m_heap.isAlive(m_heap.original(storage)))
                continue;
            if (m_heap.original(storage) == kNoInstance)
                fault(FaultKind::UseBeforeCompute,
                      fmt::format("{} uses {}, which isn't computed yet.", describe(moment),
                                  nameOf(m_program, storage)));
            else if (moment < m_forward)
                fault(FaultKind::UseAfterFree,
                      fmt::format("{} uses {}, which was freed before.", describe(moment),
                                  nameOf(m_program, storage)));
            else
                checkBackwardRead(moment, storage);
        }
    };
    check(op(moment).reads);
    check(op(moment).writes);
}

// A node gets a recomputed value from no one but its own saved tensors, while they are unpacked.
void Replay::checkSlots(OpIndex moment, StorageId storage)
{
    bool isNamed = false;
    bool isThere = false;
    bool isRight = false;
    if (const auto rows = m_rowsOfNode.find(op(moment).sequence); rows != m_rowsOfNode.end())
        for (const std::size_t index : rows->second) {
            const graph::Saved& row = m_program.saved[index];
            if (storageOf(row.tensor) != storage || *row.unpack > moment || row.dropped < moment)
                continue;
            isNamed = true;
            const InstanceId instance = m_slots[index];
            isThere = isThere || m_heap.isAlive(instance);
            isRight = isRight
                      || (m_heap.isAlive(instance)
                          && m_heap.version(instance) == m_writes[storage.index()]);
        }
    if (!isNamed)
        fault(FaultKind::UseAfterFree,
              fmt::format("{} reads {}, of which only a recomputed copy is left that no saved "
                          "tensor of its node names.",
                          describe(moment), nameOf(m_program, storage)));
    else if (!isThere)
        fault(FaultKind::UseBeforeCompute,
              fmt::format("{} reads {}, which its own region doesn't hold recomputed.",
                          describe(moment), nameOf(m_program, storage)));
    else if (!isRight && !isBuffer(storage))
        fault(FaultKind::OverwrittenInput,
              fmt::format("{} reads {} as recomputed, but the step overwrote it since.",
                          describe(moment), nameOf(m_program, storage)));
}

// The step's own life is over: a recomputed one has to stand in, as it was when it was saved.
void Replay::checkBackwardRead(OpIndex moment, StorageId storage)
{
    if (!m_heap.alive(storage).empty()) {
        checkSlots(moment, storage);
        return;
    }
    const OpIndex alloc = m_program.storage(storage).alloc;
    bool isToCome = false;
    for (int id = alloc < 0 ? kNoRegion : m_tree.innermost(alloc); id != kNoRegion;
         id = m_tree[id].parent)
        isToCome = isToCome || !m_tree[id].recomputed;
    fault(isToCome ? FaultKind::UseBeforeCompute : FaultKind::UseAfterFree,
          fmt::format("{} reads {}, which {}.", describe(moment), nameOf(m_program, storage),
                      isToCome ? "isn't recomputed yet" : "was freed before"));
}

// What happens between two ops before anybody lets go: calls of regions begin, inputs are saved.
void Replay::prepare(OpIndex next)
{
    if (next >= m_end)
        return;
    for (const int frame : m_tree.beginningAt(next))
        enter(frame);
    pack(next, false);
}

void Replay::enter(int id)
{
    Frame& frame = m_tree[id];
    const auto hold = [&](StorageId storage) {
        const InstanceId instance = m_heap.original(storage);
        if (!m_heap.isAlive(instance))
            fault(FaultKind::UseAfterFree,
                  fmt::format("{} is given {}, which was freed before.",
                              nameOf(m_program, *frame.region), nameOf(m_program, storage)));
        m_heap.acquire(instance);
        return instance;
    };
    for (const StorageId storage : frame.arguments)
        schedule(frame.last, {Event::Kind::Release, hold(storage)});
    frame.references = 1; // the call
    schedule(frame.last, {Event::Kind::Frame, id});
    if (frame.parent == kNoRegion) {
        for (const StorageId storage : frame.arguments)
            frame.packed.push_back(hold(storage));
        return;
    }
    // Saved through the parent's hooks: a weak holder there, which keeps the parent's frame.
    Frame& parent = m_tree[frame.parent];
    ++parent.references;
    if (!frame.arguments.empty())
        ++parent.packs;
}

void Replay::pack(OpIndex moment, bool after)
{
    for (const std::size_t row : m_rows[static_cast<std::size_t>(moment)]) {
        if (m_program.saved[row].afterKernel == after)
            packRow(row);
    }
}

void Replay::packRow(std::size_t index)
{
    const graph::Saved& row = m_program.saved[index];
    const auto moment = static_cast<OpIndex>(row.op.index());
    const StorageId storage = storageOf(row.tensor);
    const int id = m_tree.innermost(moment);
    if (id == kNoRegion) {
        if (m_program.storage(storage).alloc >= m_forward)
            return; // lives as recorded
        const InstanceId instance = m_heap.original(storage);
        if (!m_heap.isAlive(instance))
            fault(FaultKind::UseAfterFree,
                  fmt::format("{} saves {}, which {}.", describe(moment),
                              nameOf(m_program, storage),
                              m_isCode ? "it doesn't use, as only a custom autograd function's "
                                         "forward does: a plan between ops would lose its "
                                         "backward, so plan between modules"
                                       : "was freed before"));
        m_heap.acquire(instance);
        if (m_branches.owns(index))
            m_keptByRow[index] = instance;
        else
            schedule(row.released, {Event::Kind::Release, instance});
        return;
    }
    ++m_tree[id].packs;
    ++m_tree[id].references;
    if (!m_branches.owns(index)) // else it goes with its node
        schedule(row.released, {Event::Kind::Row, static_cast<int>(index)});
}

void Replay::schedule(OpIndex moment, Event event)
{
    if (moment == kNever || moment >= m_end)
        return; // outlives the step
    moment = std::max(moment, m_now);
    m_events[static_cast<std::size_t>(moment) + 1].push_back(event);
}

void Replay::letGo(OpIndex moment)
{
    Events& events = m_events[static_cast<std::size_t>(moment) + 1];
    // It may grow meanwhile, so no iterators.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event event = events[i];
        apply(event, moment);
    }
    events.clear();
}

void Replay::apply(const Event& event, OpIndex moment)
{
    switch (event.kind) {
    case Event::Kind::Variable: {
        const OpIndex alloc = m_program.storage(m_heap.storageOf(event.subject)).alloc;
        const OpIndex until = m_tree.waited(alloc, moment, kNoRegion);
        if (until > moment)
            schedule(until, {Event::Kind::Release, event.subject});
        else
            m_heap.release(event.subject);
        break;
    }
    case Event::Kind::Release: m_heap.release(event.subject); break;
    case Event::Kind::Row: releaseRow(static_cast<std::size_t>(event.subject), moment); break;
    case Event::Kind::Frame: unreference(event.subject); break;
    case Event::Kind::Node: forgetNode(event.subject, moment); break;
    }
}

void Replay::releaseRow(std::size_t index, OpIndex moment)
{
    const graph::Saved& row = m_program.saved[index];
    Frame& frame = m_tree[m_tree.innermost(static_cast<OpIndex>(row.op.index()))];
    // The node runs no op: it unpacks, which recomputes the region, before it lets go.
    if (!frame.recomputed && row.unpack && *row.unpack == moment + 1)
        ++frame.lateReleases;
    else
        unreference(m_tree.innermost(static_cast<OpIndex>(row.op.index())));
}

void Replay::unreference(int id)
{
    Frame& frame = m_tree[id];
    if (--frame.references > 0)
        return;
    for (const InstanceId instance : std::exchange(frame.packed, {}))
        m_heap.release(instance);
    for (const InstanceId instance : std::exchange(frame.copies, {}))
        m_heap.release(instance);
    if (!m_branches.isEmpty())
        for (const int node : m_branches.givenTo(id))
            forgetNode(node, m_now);
    if (m_tree[id].parent != kNoRegion)
        unreference(m_tree[id].parent);
}

} // namespace plimsoll::plan::verifying
