// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/statistics.h"
#include "core/verify/names.h"
#include "core/verify/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::plan::verifying {

using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

void Replay::recomputeBefore(OpIndex place)
{
    std::vector<int> due;
    for (const int wanted : m_wanted[static_cast<std::size_t>(place)]) {
        // Its arguments are saved in the frame around it, which is filled first.
        for (int id = wanted; id != kNoRegion && !m_tree[id].recomputed; id = m_tree[id].parent) {
            m_tree[id].recomputed = true;
            due.push_back(id);
        }
    }
    std::ranges::sort(due, {}, [this](int id) { return m_tree.rank(id); });
    for (const int id : due)
        recompute(id, place);
}

void Replay::recompute(int id, OpIndex place)
{
    Execution run;
    run.frame = id;
    run.place = place;
    run.now = m_tree[id].first - 1;
    takeArguments(run);
    bindVariables(run);
    for (OpIndex op = m_tree[id].first; op <= m_tree[id].last; ++op) {
        const bool stopsBefore = prepare(run, op);
        if (stopsBefore)
            break;
        letGo(run, op - 1);
        if (m_tree.isSaved(op) && m_tree.innermost(op) == id)
            fetch(run, op);
        else if (!m_freezesStats || !isBatchCounter(m_program, this->op(op)))
            execute(run, op);
        run.now = op;
        makeNode(run, op);
        if (pack(run, op, true))
            break;
    }
    stop(run);
}

void Replay::takeArguments(Execution& run)
{
    Frame& frame = m_tree[run.frame];
    run.arguments = frame.packed;
    if (frame.parent == kNoRegion) {
        for (const InstanceId instance : run.arguments)
            m_heap.acquire(instance); // the frame goes on holding them
    } else {
        frame.packed.clear(); // taken out of the parent's table: held by this call alone
    }
    if (run.arguments.size() != frame.arguments.size()) {
        fault(FaultKind::UseAfterFree,
              fmt::format("The recomputation of {} before {} finds its arguments gone.",
                          nameOf(m_program, *frame.region),
                          run.place < m_end ? describe(run.place) : "the step's end"));
        return;
    }
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        m_made[frame.arguments[i].index()] = run.arguments[i];
        m_bound.push_back(frame.arguments[i]);
    }
}

void Replay::bindVariables(const Execution& run)
{
    const Frame& frame = m_tree[run.frame];
    for (OpIndex op = frame.first; op <= frame.last; ++op) {
        for (const StorageId storage : m_allocates[static_cast<std::size_t>(op)])
            m_local[storage.index()] = m_python[storage.index()];
    }
    m_tree.passVariables(run.frame, m_local);
}

bool Replay::prepare(Execution& run, OpIndex next)
{
    for (const int nested : m_tree.beginningAt(next)) {
        if (nested == run.frame || !m_tree.isInside(nested, run.frame))
            continue;
        makeFrame(run, nested);
        for (const StorageId storage : m_tree[nested].arguments) {
            const InstanceId instance = visible(run, storage);
            m_heap.acquire(instance);
            schedule(run, m_tree[nested].last, {Event::Kind::Release, instance});
        }
        if (m_tree[nested].parent != run.frame || m_tree[nested].arguments.empty())
            continue;
        packArguments(run, nested);
        if (++run.packed == m_tree[run.frame].packs)
            return true;
    }
    return pack(run, next, false);
}

void Replay::packArguments(Execution& run, int nested)
{
    Frame& frame = m_tree[nested];
    const bool isWanted = frame.references > 0; // else the holders in this frame are gone
    for (const StorageId storage : frame.arguments) {
        const InstanceId instance = visible(run, storage);
        if (isWanted) {
            m_heap.acquire(instance);
            frame.packed.push_back(instance);
        } else {
            // The second call of the nested function made a frame of its own.
            m_heap.acquire(instance);
            run.frames[nested].held.push_back(instance);
        }
    }
}

bool Replay::pack(Execution& run, OpIndex moment, bool after)
{
    if (m_tree.innermost(moment) != run.frame)
        return false;
    for (const std::size_t row : m_rows[static_cast<std::size_t>(moment)]) {
        if (m_program.saved[row].afterKernel != after)
            continue;
        packRow(run, row);
        if (++run.packed == m_tree[run.frame].packs)
            return true; // early stop
    }
    return false;
}

void Replay::packRow(Execution& run, std::size_t index)
{
    const graph::Saved& row = m_program.saved[index];
    const InstanceId instance =
        read(run, static_cast<OpIndex>(row.op.index()), storageOf(row.tensor));
    const Event release{Event::Kind::Release, instance};
    m_heap.acquire(instance);
    m_slots[index] = instance;
    if (m_branches.owns(index)) {
        // Its first node's holder keeps the table's entry; else only this graph's node does.
        const OpIndex node = m_branches.nodeOf(index);
        if (m_nodeReferences[static_cast<std::size_t>(node)] > 0)
            m_packedAgain[index].push_back(instance);
        else
            run.nodes[node].held.push_back(instance);
        return;
    }
    const OpIndex last = row.unpack ? row.dropped : row.released;
    if (last >= run.place) // its holder stands: the table keeps it, then the node
        schedule(last, release);
    else if (row.unpack)
        run.unwind.push_back(release); // unpacked and dropped before another op runs
    else
        schedule(run, row.released, release); // only the recomputation's own graph keeps it
}

// The selective context answers with what forward made; nothing runs.
void Replay::fetch(Execution& run, OpIndex moment)
{
    std::vector<InstanceId>& copies = m_tree[run.frame].copies;
    for (const StorageId storage : m_allocates[static_cast<std::size_t>(moment)]) {
        const auto copy = std::ranges::find_if(
            copies, [&](InstanceId id) { return m_heap.storageOf(id) == storage; });
        if (copy == copies.end()) {
            fault(FaultKind::UseAfterFree,
                  fmt::format("The recomputation of {} fetches {}, which is gone.",
                              nameOf(m_program, *m_tree[run.frame].region),
                              nameOf(m_program, storage)));
            continue;
        }
        m_made[storage.index()] = *copy;
        m_bound.push_back(storage);
        // The copy's holder is from now on the function's variable.
        schedule(run, std::max(m_local[storage.index()], moment), {Event::Kind::Variable, *copy});
        copies.erase(copy);
    }
}

void Replay::execute(Execution& run, OpIndex moment)
{
    const graph::Op& row = op(moment);
    const bool isFrozen = m_freezesStats && !row.writes.empty() && leavesStatistics(m_program, row);
    const std::vector<int>& versions = m_readVersions[static_cast<std::size_t>(moment)];
    for (std::size_t i = 0; i < row.reads.size(); ++i) {
        const StorageId storage = storageOf(row.reads[i]);
        if (isFrozen && isBuffer(storage))
            continue;
        const InstanceId instance = read(run, moment, storage);
        if (instance != kNoInstance && !isBuffer(storage)
            && m_heap.version(instance) != versions[i])
            fault(FaultKind::OverwrittenInput,
                  fmt::format("The recomputation of {} reads {}, which was overwritten since.",
                              describe(moment), nameOf(m_program, storage)));
    }
    for (const StorageId storage : m_allocates[static_cast<std::size_t>(moment)]) {
        const InstanceId made = m_heap.create(storage, false);
        m_made[storage.index()] = made;
        m_bound.push_back(storage);
        schedule(run, std::max(m_local[storage.index()], moment), {Event::Kind::Variable, made});
        if (m_tree.isSaved(moment)) {
            // The second call of a nested function has a context of its own, which goes with its
            // frame.
            m_heap.acquire(made);
            run.frames[m_tree.innermost(moment)].held.push_back(made);
        }
    }
    recordStep(moment, run.frame);
    for (const TensorId tensor : row.writes)
        if (!isFrozen)
            m_heap.write(visible(run, storageOf(tensor)));
}

InstanceId Replay::visible(const Execution& run, StorageId storage) const
{
    const InstanceId made = m_made[storage.index()];
    if (made != kNoInstance)
        return made;
    // Captured: what is older than the step.
    return m_program.storage(storage).alloc < m_tree[run.frame].first ? m_heap.original(storage)
                                                                      : kNoInstance;
}

InstanceId Replay::read(const Execution& run, OpIndex moment, StorageId storage)
{
    const InstanceId instance = visible(run, storage);
    if (m_heap.isAlive(instance))
        return instance;
    const bool isMissing = instance == kNoInstance;
    fault(isMissing ? FaultKind::UseBeforeCompute : FaultKind::UseAfterFree,
          fmt::format("The recomputation of {} uses {}, which {}.", describe(moment),
                      nameOf(m_program, storage),
                      isMissing ? "it hasn't computed yet" : "was freed before"));
    return kNoInstance;
}

void Replay::schedule(Execution& run, OpIndex moment, Event event)
{
    if (moment >= run.now && moment >= m_tree[run.frame].first && moment <= m_tree[run.frame].last)
        m_localEvents[static_cast<std::size_t>(moment)].push_back(event);
    else
        run.unwind.push_back(event);
}

void Replay::letGo(Execution& run, OpIndex moment)
{
    if (moment < m_tree[run.frame].first)
        return;
    for (const Event event : std::exchange(m_localEvents[static_cast<std::size_t>(moment)], {})) {
        if (event.kind == Event::Kind::Node || event.kind == Event::Kind::Frame) {
            if (event.kind == Event::Kind::Node)
                forgetNode(run, event.subject);
            else
                unreference(run, event.subject);
            continue;
        }
        const OpIndex alloc = m_program.storage(m_heap.storageOf(event.subject)).alloc;
        const OpIndex until =
            event.kind == Event::Kind::Variable ? m_tree.waited(alloc, moment, run.frame) : moment;
        if (until > moment)
            schedule(run, until, {Event::Kind::Release, event.subject});
        else
            m_heap.release(event.subject);
    }
}

// The exception that ends a recomputation unwinds its variables, and its own graph goes with them.
void Replay::stop(Execution& run)
{
    Frame& frame = m_tree[run.frame];
    const auto release = [this](const Events& events) {
        for (const Event& event : events)
            if (event.kind == Event::Kind::Release || event.kind == Event::Kind::Variable)
                m_heap.release(event.subject);
    };
    for (OpIndex op = frame.first; op <= frame.last; ++op)
        release(std::exchange(m_localEvents[static_cast<std::size_t>(op)], {}));
    release(run.unwind);
    for (const auto* holders : {&run.nodes, &run.frames})
        for (const auto& [subject, holder] : *holders)
            for (const InstanceId instance : holder.held)
                m_heap.release(instance);
    for (const InstanceId instance : run.arguments)
        m_heap.release(instance);
    for (const StorageId storage : std::exchange(m_bound, {}))
        m_made[storage.index()] = kNoInstance;
    for (int late = std::exchange(frame.lateReleases, 0); late > 0; --late)
        unreference(run.frame);
}

} // namespace plimsoll::plan::verifying
