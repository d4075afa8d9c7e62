// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/replay.h"

#include <algorithm>

namespace plimsoll::plan::verifying {

using graph::kBeforeStep;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

Replay::Replay(const Problem& problem, const CheckpointRegions& plan, Verification& seen)
    : m_state{problem, plan, seen}, m_wanted(problem.step()->ops.size() + 1), m_held{m_state.python}
{
    for (std::size_t i = 0; i < m_state.program.saved.size(); ++i) {
        const graph::Saved& row = m_state.program.saved[i];
        const int frame = m_state.tree.innermost(static_cast<OpIndex>(row.op.index()));
        if (frame == kNoRegion || !row.unpack || *row.unpack < 0 || *row.unpack > m_state.end)
            continue;
        m_wanted[static_cast<std::size_t>(*row.unpack)].push_back(frame);
        m_rowsOfNode[row.sequence].push_back(i);
    }
    m_state.tree.passVariables(kNoRegion, m_held);
}

void Replay::recomputeBefore(OpIndex place)
{
    std::vector<int> due;
    for (const int wanted : m_wanted[static_cast<std::size_t>(place)]) {
        // Its arguments are saved in the frame around it, which is filled first.
        for (int id = wanted; id != kNoRegion && !m_state.tree[id].recomputed;
             id = m_state.tree[id].parent) {
            m_state.tree[id].recomputed = true;
            due.push_back(id);
        }
    }
    std::ranges::sort(due, {}, [this](int id) { return m_state.tree.rank(id); });
    for (const int id : due)
        m_recomputation.run(id, place);
}

void Replay::run()
{
    begin();
    for (OpIndex op = 0; op < m_state.end; ++op) {
        recomputeBefore(op);
        execute(op);
        m_state.now = op;
        m_state.makeNode(op);
        pack(op, true);
        prepare(op + 1);
        letGo(op);
    }
    recomputeBefore(m_state.end);
}

void Replay::begin()
{
    for (std::size_t i = 0; i < m_state.program.storages.size(); ++i) {
        if (m_state.program.storages[i].alloc >= 0)
            continue;
        const StorageId storage{i};
        m_state.schedule(m_held[i], {Event::Kind::Variable, m_state.heap.create(storage, true)});
    }
    prepare(0);
    letGo(kBeforeStep);
}

void Replay::execute(OpIndex opIndex)
{
    checkReads(opIndex);
    for (const StorageId storage : m_state.allocates[static_cast<std::size_t>(opIndex)]) {
        const InstanceId made = m_state.heap.create(storage, true);
        if (opIndex < m_state.forward)
            m_state.schedule(std::max(m_held[storage.index()], opIndex),
                             {Event::Kind::Variable, made});
        else
            m_state.schedule(std::max(m_state.program.storage(storage).free, opIndex),
                             {Event::Kind::Release, made});
        if (opIndex < m_state.forward && m_state.tree.isSaved(opIndex)) {
            m_state.heap.acquire(made);
            m_state.tree[m_state.tree.innermost(opIndex)].copies.push_back(made);
        }
    }
    m_state.recordStep(opIndex, kNoRegion);
    for (const TensorId tensor : m_state.op(opIndex).writes) {
        const StorageId storage = m_state.storageOf(tensor);
        ++m_state.writes[storage.index()];
        if (m_state.heap.isAlive(m_state.heap.original(storage)))
            m_state.heap.write(m_state.heap.original(storage));
        else
            for (const InstanceId instance : m_state.heap.alive(storage))
                m_state.heap.write(instance);
    }
}

// What happens between two ops before anybody lets go: calls of regions begin, inputs are saved.
void Replay::prepare(OpIndex next)
{
    if (next >= m_state.end)
        return;
    for (const int frame : m_state.tree.beginningAt(next))
        enter(frame);
    pack(next, false);
}

void Replay::enter(int id)
{
    Frame& frame = m_state.tree[id];
    const auto hold = [&](StorageId storage) {
        const InstanceId instance = m_state.heap.original(storage);
        if (!m_state.heap.isAlive(instance))
            m_state.faults.add(FaultKind::UseAfterFree, "{} is given {}, which was freed before.",
                               *frame.region, storage);
        m_state.heap.acquire(instance);
        return instance;
    };
    for (const StorageId storage : frame.arguments)
        m_state.schedule(frame.last, {Event::Kind::Release, hold(storage)});
    frame.references = 1; // the call
    m_state.schedule(frame.last, {Event::Kind::Frame, id});
    if (frame.parent == kNoRegion) {
        for (const StorageId storage : frame.arguments)
            frame.packed.push_back(hold(storage));
        return;
    }
    // Saved through the parent's hooks: a weak holder there, which keeps the parent's frame.
    Frame& parent = m_state.tree[frame.parent];
    ++parent.references;
    if (!frame.arguments.empty())
        ++parent.packs;
}

void Replay::pack(OpIndex opIndex, bool after)
{
    for (const std::size_t row : m_state.rows[static_cast<std::size_t>(opIndex)]) {
        if (m_state.program.saved[row].afterKernel == after)
            packRow(row);
    }
}

void Replay::packRow(std::size_t index)
{
    const graph::Saved& row = m_state.program.saved[index];
    const auto opIndex = static_cast<OpIndex>(row.op.index());
    const StorageId storage = m_state.storageOf(row.tensor);
    const int id = m_state.tree.innermost(opIndex);
    if (id == kNoRegion) {
        if (m_state.program.storage(storage).alloc >= m_state.forward)
            return; // lives as recorded
        const InstanceId instance = m_state.heap.original(storage);
        if (!m_state.heap.isAlive(instance))
            m_state.faults.add(
                FaultKind::UseAfterFree, "{} saves {}, which {}.", graph::opAt(opIndex), storage,
                m_state.isCode ? "it doesn't use, as only a custom autograd function's forward "
                                 "does: a plan between ops would lose its backward, so plan "
                                 "between modules"
                               : "was freed before");
        m_state.heap.acquire(instance);
        if (m_state.branches.owns(index))
            m_state.keptByRow[index] = instance;
        else
            m_state.schedule(row.released, {Event::Kind::Release, instance});
        return;
    }
    ++m_state.tree[id].packs;
    ++m_state.tree[id].references;
    if (!m_state.branches.owns(index)) // else it goes with its node
        m_state.schedule(row.released, {Event::Kind::Row, static_cast<int>(index)});
}

void Replay::letGo(OpIndex opIndex)
{
    Events& events = m_state.events[static_cast<std::size_t>(opIndex) + 1];
    // It may grow meanwhile, so no iterators.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Event event = events[i];
        apply(event, opIndex);
    }
    events.clear();
}

void Replay::apply(const Event& event, OpIndex opIndex)
{
    switch (event.kind) {
    case Event::Kind::Variable: {
        const OpIndex alloc = m_state.program.storage(m_state.heap.storageOf(event.subject)).alloc;
        const OpIndex until = m_state.tree.waited(alloc, opIndex, kNoRegion);
        if (until > opIndex)
            m_state.schedule(until, {Event::Kind::Release, event.subject});
        else
            m_state.heap.release(event.subject);
        break;
    }
    case Event::Kind::Release: m_state.heap.release(event.subject); break;
    case Event::Kind::Row: releaseRow(static_cast<std::size_t>(event.subject), opIndex); break;
    case Event::Kind::Frame: m_state.unreference(event.subject); break;
    case Event::Kind::Node: m_state.forgetNode(event.subject, opIndex); break;
    }
}

void Replay::releaseRow(std::size_t index, OpIndex opIndex)
{
    const graph::Saved& row = m_state.program.saved[index];
    Frame& frame = m_state.tree[m_state.tree.innermost(static_cast<OpIndex>(row.op.index()))];
    // The node runs no op: it unpacks, which recomputes the region, before it lets go.
    if (!frame.recomputed && row.unpack && *row.unpack == opIndex + 1)
        ++frame.lateReleases;
    else
        m_state.unreference(m_state.tree.innermost(static_cast<OpIndex>(row.op.index())));
}

void Replay::checkReads(OpIndex opIndex)
{
    const auto checkAll = [&](const std::vector<TensorId>& tensors) {
        for (const TensorId tensor : tensors) {
            const StorageId storage = m_state.storageOf(tensor);
            if (opIndex < m_state.forward)
                m_state.readVersions[static_cast<std::size_t>(opIndex)].push_back(
                    m_state.writes[storage.index()]);
            if (m_state.heap.isAlive(m_state.heap.original(storage)))
                continue;
            if (m_state.heap.original(storage) == kNoInstance)
                m_state.faults.add(FaultKind::UseBeforeCompute,
                                   "{} uses {}, which isn't computed yet.", graph::opAt(opIndex),
                                   storage);
            else if (opIndex < m_state.forward)
                m_state.faults.add(FaultKind::UseAfterFree, "{} uses {}, which was freed before.",
                                   graph::opAt(opIndex), storage);
            else
                checkBackwardRead(opIndex, storage);
        }
    };
    checkAll(m_state.op(opIndex).reads);
    checkAll(m_state.op(opIndex).writes);
}

// A node gets a recomputed value from no one but its own saved tensors, while they are unpacked.
void Replay::checkSlots(OpIndex opIndex, StorageId storage)
{
    bool isNamed = false;
    bool isThere = false;
    bool isRight = false;
    if (const auto rows = m_rowsOfNode.find(m_state.op(opIndex).sequence);
        rows != m_rowsOfNode.end())
        for (const std::size_t index : rows->second) {
            const graph::Saved& row = m_state.program.saved[index];
            if (m_state.storageOf(row.tensor) != storage || *row.unpack > opIndex
                || row.dropped < opIndex)
                continue;
            isNamed = true;
            const InstanceId instance = m_state.slots[index];
            isThere = isThere || m_state.heap.isAlive(instance);
            isRight = isRight
                      || (m_state.heap.isAlive(instance)
                          && m_state.heap.version(instance) == m_state.writes[storage.index()]);
        }
    if (!isNamed)
        m_state.faults.add(FaultKind::UseAfterFree,
                           "{} reads {}, of which only a recomputed copy is left that no saved "
                           "tensor of its node names.",
                           graph::opAt(opIndex), storage);
    else if (!isThere)
        m_state.faults.add(FaultKind::UseBeforeCompute,
                           "{} reads {}, which its own region doesn't hold recomputed.",
                           graph::opAt(opIndex), storage);
    else if (!isRight && !m_state.isBuffer(storage))
        m_state.faults.add(FaultKind::OverwrittenInput,
                           "{} reads {} as recomputed, but the step overwrote it since.",
                           graph::opAt(opIndex), storage);
}

// The step's own life is over: a recomputed one has to stand in, as it was when it was saved.
void Replay::checkBackwardRead(OpIndex opIndex, StorageId storage)
{
    if (!m_state.heap.alive(storage).empty()) {
        checkSlots(opIndex, storage);
        return;
    }
    const OpIndex alloc = m_state.program.storage(storage).alloc;
    bool isToCome = false;
    for (int id = alloc < 0 ? kNoRegion : m_state.tree.innermost(alloc); id != kNoRegion;
         id = m_state.tree[id].parent)
        isToCome = isToCome || !m_state.tree[id].recomputed;
    m_state.faults.add(isToCome ? FaultKind::UseBeforeCompute : FaultKind::UseAfterFree,
                       "{} reads {}, which {}.", graph::opAt(opIndex), storage,
                       isToCome ? "isn't recomputed yet" : "was freed before");
}

} // namespace plimsoll::plan::verifying
