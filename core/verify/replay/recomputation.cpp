// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/recomputation.h"

#include "core/verify/code.h"

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

Recomputation::Recomputation(ReplayState& state)
    : m_state{state}
    , m_local{m_state.python}
    , m_made(m_state.program.storages.size(), kNoInstance)
    , m_localEvents(m_state.program.ops.size())
{
}

void Recomputation::run(int id, OpIndex place)
{
    m_run = {};
    m_run.frame = id;
    m_run.place = place;
    m_run.now = frame().first - 1;
    takeArguments();
    bindVariables();
    for (OpIndex op = frame().first; op <= frame().last; ++op) {
        const bool stopsBefore = prepare(op);
        if (stopsBefore)
            break;
        letGo(op - 1);
        if (m_state.tree.isSaved(op) && m_state.tree.innermost(op) == id)
            fetch(op);
        else if (!m_state.freezesStats || !isBatchCounter(m_state.program, m_state.op(op)))
            execute(op);
        m_run.now = op;
        makeNode(op);
        if (pack(op, true))
            break;
    }
    stop();
}

void Recomputation::takeArguments()
{
    Frame& frame = m_state.tree[m_run.frame];
    m_run.arguments = frame.packed;
    if (frame.parent == kNoRegion) {
        for (const InstanceId instance : m_run.arguments)
            m_state.heap.acquire(instance); // the frame still holds them
    } else {
        frame.packed.clear(); // moved from the parent's table: now held only by this call
    }
    if (m_run.arguments.size() != frame.arguments.size()) {
        const std::string place = m_run.place < m_state.end
                                      ? nameOf(m_state.program, graph::opAt(m_run.place))
                                      : "the step's end";
        m_state.faults.add(FaultKind::UseAfterFree,
                           "The recomputation of {} before {} finds its arguments gone.",
                           *frame.region, place);
        return;
    }
    for (std::size_t i = 0; i < m_run.arguments.size(); ++i) {
        m_made[frame.arguments[i].index()] = m_run.arguments[i];
        m_bound.push_back(frame.arguments[i]);
    }
}

void Recomputation::bindVariables()
{
    const Frame& frame = m_state.tree[m_run.frame];
    for (OpIndex op = frame.first; op <= frame.last; ++op) {
        for (const StorageId storage : m_state.allocates[static_cast<std::size_t>(op)])
            m_local[storage.index()] = m_state.python[storage.index()];
    }
    m_state.tree.passVariables(m_run.frame, m_local);
}

bool Recomputation::prepare(OpIndex next)
{
    for (const int nested : m_state.tree.beginningAt(next)) {
        if (nested == m_run.frame || !m_state.tree.isInside(nested, m_run.frame))
            continue;
        makeFrame(nested);
        for (const StorageId storage : m_state.tree[nested].arguments) {
            const InstanceId instance = visible(storage);
            m_state.heap.acquire(instance);
            schedule(m_state.tree[nested].last, {Event::Kind::Release, instance});
        }
        if (m_state.tree[nested].parent != m_run.frame || m_state.tree[nested].arguments.empty())
            continue;
        packArguments(nested);
        if (++m_run.packed == frame().packs)
            return true;
    }
    return pack(next, false);
}

void Recomputation::packArguments(int nested)
{
    Frame& frame = m_state.tree[nested];
    // If the holders in this frame are gone, the second call of the nested function has created a
    // frame of its own.
    std::vector<InstanceId>& held = frame.references > 0 ? frame.packed : m_run.frames[nested].held;
    for (const StorageId storage : frame.arguments) {
        m_state.heap.acquire(visible(storage));
        held.push_back(visible(storage));
    }
}

bool Recomputation::pack(OpIndex opIndex, bool after)
{
    if (m_state.tree.innermost(opIndex) != m_run.frame)
        return false;
    for (const std::size_t row : m_state.rows[static_cast<std::size_t>(opIndex)]) {
        if (m_state.program.saved[row].afterKernel != after)
            continue;
        packRow(row);
        if (++m_run.packed == frame().packs)
            return true; // early stop
    }
    return false;
}

void Recomputation::packRow(std::size_t index)
{
    const graph::Saved& row = m_state.program.saved[index];
    const InstanceId instance =
        read(static_cast<OpIndex>(row.op.index()), m_state.storageOf(row.tensor));
    const Event release{Event::Kind::Release, instance};
    m_state.heap.acquire(instance);
    m_state.slots[index] = instance;
    if (m_state.branches.owns(index)) {
        // Held by the table while its first node's holder lives, else only by this graph's node.
        const OpIndex node = m_state.branches.nodeOf(index);
        if (m_state.nodeReferences[static_cast<std::size_t>(node)] > 0)
            m_state.packedAgain[index].push_back(instance);
        else
            m_run.nodes[node].held.push_back(instance);
        return;
    }
    const OpIndex last = row.unpack ? row.dropped : row.released;
    if (last >= m_run.place) // the holder is alive: held by the table, then by the node
        m_state.schedule(last, release);
    else if (row.unpack)
        m_run.unwind.push_back(release); // unpacked and dropped before the next op
    else
        schedule(row.released, release); // held only by the recomputation's own graph
}

// The selective checkpoint context returns the value kept by forward; nothing runs.
void Recomputation::fetch(OpIndex opIndex)
{
    std::vector<InstanceId>& copies = frame().copies;
    for (const StorageId storage : m_state.allocates[static_cast<std::size_t>(opIndex)]) {
        if (m_state.program.storage(storage).isScratch())
            continue; // nothing runs
        const auto copy = std::ranges::find_if(
            copies, [&](InstanceId id) { return m_state.heap.storageOf(id) == storage; });
        if (copy == copies.end()) {
            m_state.faults.add(FaultKind::UseAfterFree,
                               "The recomputation of {} fetches {}, which is gone.",
                               *frame().region, storage);
            continue;
        }
        m_made[storage.index()] = *copy;
        m_bound.push_back(storage);
        // From now on the function's variable holds the copy.
        schedule(std::max(m_local[storage.index()], opIndex), {Event::Kind::Variable, *copy});
        copies.erase(copy);
    }
}

void Recomputation::execute(OpIndex opIndex)
{
    const graph::Op& row = m_state.op(opIndex);
    const bool isFrozen =
        m_state.freezesStats && !row.writes.empty() && leavesStatistics(m_state.program, row);
    const std::vector<int>& versions = m_state.readVersions[static_cast<std::size_t>(opIndex)];
    for (std::size_t i = 0; i < row.reads.size(); ++i) {
        const StorageId storage = m_state.storageOf(row.reads[i]);
        if (isFrozen && m_state.isBuffer(storage))
            continue;
        const InstanceId instance = read(opIndex, storage);
        if (instance != kNoInstance && !m_state.isBuffer(storage)
            && m_state.heap.version(instance) != versions[i])
            m_state.faults.add(
                FaultKind::OverwrittenInput,
                "The recomputation of {} reads {}, which has been overwritten since.",
                graph::opAt(opIndex), storage);
    }
    for (const StorageId storage : m_state.allocates[static_cast<std::size_t>(opIndex)]) {
        const InstanceId made = m_state.heap.create(storage, false);
        m_made[storage.index()] = made;
        m_bound.push_back(storage);
        schedule(std::max(m_local[storage.index()], opIndex), {Event::Kind::Variable, made});
        if (m_state.tree.isSaved(opIndex) && !m_state.program.storage(storage).isScratch()) {
            // The second call of a nested function has its own context, freed with its frame.
            m_state.heap.acquire(made);
            m_run.frames[m_state.tree.innermost(opIndex)].held.push_back(made);
        }
    }
    m_state.watch.step(opIndex, true, m_state.heap, m_state.shards.during(opIndex, true));
    for (const TensorId tensor : row.writes)
        if (!isFrozen)
            m_state.heap.write(visible(m_state.storageOf(tensor)));
}

InstanceId Recomputation::visible(StorageId storage) const
{
    const InstanceId made = m_made[storage.index()];
    if (made != kNoInstance)
        return made;
    // Captured values are older than the step.
    return m_state.program.storage(storage).alloc < frame().first ? m_state.heap.original(storage)
                                                                  : kNoInstance;
}

InstanceId Recomputation::read(OpIndex opIndex, StorageId storage)
{
    const InstanceId instance = visible(storage);
    if (m_state.heap.isAlive(instance))
        return instance;
    const bool isMissing = instance == kNoInstance;
    m_state.faults.add(isMissing ? FaultKind::UseBeforeCompute : FaultKind::UseAfterFree,
                       "The recomputation of {} uses {}, which {}.", graph::opAt(opIndex), storage,
                       isMissing ? "it hasn't computed yet" : "was freed before");
    return kNoInstance;
}

void Recomputation::schedule(OpIndex opIndex, Event event)
{
    if (opIndex >= m_run.now && opIndex >= frame().first && opIndex <= frame().last)
        m_localEvents[static_cast<std::size_t>(opIndex)].push_back(event);
    else
        m_run.unwind.push_back(event);
}

void Recomputation::letGo(OpIndex opIndex)
{
    if (opIndex < frame().first)
        return;
    for (const Event event : std::exchange(m_localEvents[static_cast<std::size_t>(opIndex)], {})) {
        if (event.kind == Event::Kind::Node) {
            forgetNode(event.subject);
            continue;
        }
        if (event.kind == Event::Kind::Frame) {
            unreference(event.subject);
            continue;
        }
        const OpIndex alloc = m_state.program.storage(m_state.heap.storageOf(event.subject)).alloc;
        const OpIndex until = event.kind == Event::Kind::Variable
                                  ? m_state.tree.waited(alloc, opIndex, m_run.frame)
                                  : opIndex;
        if (until > opIndex)
            schedule(until, {Event::Kind::Release, event.subject});
        else
            m_state.heap.release(event.subject);
    }
}

// The exception that ends a recomputation frees its variables, and its graph with them.
void Recomputation::stop()
{
    Frame& frame = m_state.tree[m_run.frame];
    const auto release = [this](const Events& events) {
        for (const Event& event : events)
            if (event.kind == Event::Kind::Release || event.kind == Event::Kind::Variable)
                m_state.heap.release(event.subject);
    };
    for (OpIndex op = frame.first; op <= frame.last; ++op)
        release(std::exchange(m_localEvents[static_cast<std::size_t>(op)], {}));
    release(m_run.unwind);
    for (const auto* holders : {&m_run.nodes, &m_run.frames})
        for (const auto& [subject, holder] : *holders)
            for (const InstanceId instance : holder.held)
                m_state.heap.release(instance);
    for (const InstanceId instance : m_run.arguments)
        m_state.heap.release(instance);
    for (const StorageId storage : std::exchange(m_bound, {}))
        m_made[storage.index()] = kNoInstance;
    for (int late = std::exchange(frame.lateReleases, 0); late > 0; --late)
        m_state.unreference(m_run.frame);
}

// The same inside a recomputation, whose graph is freed when it ends at the latest.
void Recomputation::makeNode(OpIndex opIndex)
{
    if (!m_state.hasCountedNode(opIndex))
        return;
    const DeadBranches::Branch& branch = m_state.branches[opIndex];
    const auto readers =
        std::ranges::count_if(branch.readers, [&](int reader) { return reader <= frame().last; });
    const auto frames = std::ranges::count_if(branch.frames, [&](int frame) {
        return frame != m_run.frame && m_state.tree.isInside(frame, m_run.frame);
    });
    m_run.nodes[opIndex].references = 1 + static_cast<int>(readers + frames);
    schedule(std::max(m_state.tree.waited(opIndex, branch.variables, m_run.frame), opIndex),
             {Event::Kind::Node, opIndex});
}

void Recomputation::makeFrame(int nested)
{
    const Frame& frame = m_state.tree[nested];
    m_run.frames[nested].references = 1 + static_cast<int>(frame.children.size());
    schedule(frame.last, {Event::Kind::Frame, nested});
    for (OpIndex op = frame.first; op <= frame.last; ++op) {
        if (m_state.tree.innermost(op) != nested)
            continue;
        for (const std::size_t row : m_state.rows[static_cast<std::size_t>(op)]) {
            ++m_run.frames[nested].references;
            if (!m_state.branches.owns(row))
                schedule(m_state.program.saved[row].released, {Event::Kind::Frame, nested});
        }
    }
}

void Recomputation::forgetNode(int node)
{
    std::vector<int> open{node};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        Holder& holder = m_run.nodes[at];
        if (--holder.references > 0)
            continue;
        for (const InstanceId instance : std::exchange(holder.held, {}))
            m_state.heap.release(instance);
        const DeadBranches::Branch& branch = m_state.branches[at];
        if (branch.isFinal)
            for (const std::size_t row : branch.rows)
                if (const int frame = m_state.tree.innermost(m_state.program.saved[row].op);
                    frame != m_run.frame)
                    unreference(frame);
        for (const int giver : branch.givers)
            if (giver >= frame().first)
                open.push_back(giver);
    }
}

void Recomputation::unreference(int nested)
{
    Holder& holder = m_run.frames[nested];
    if (--holder.references > 0)
        return;
    for (const InstanceId instance : std::exchange(holder.held, {}))
        m_state.heap.release(instance);
    if (!m_state.branches.isEmpty())
        for (const int node : m_state.branches.givenTo(nested))
            if (node >= frame().first)
                forgetNode(node);
    if (m_state.tree[nested].parent != m_run.frame)
        unreference(m_state.tree[nested].parent);
}

} // namespace plimsoll::plan::verifying
