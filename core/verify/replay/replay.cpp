// SPDX-License-Identifier: Apache-2.0
#include "core/verify/replay/replay.h"

#include "core/verify/replay/recomputation.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace plimsoll::plan::verifying {

using graph::kBeforeStep;
using graph::OpIndex;
using graph::StorageId;
using graph::TensorId;

namespace {

/// See replayRegions().
class Replay : ReplayState
{
public:
    Replay(const Problem& problem, const CheckpointRegions& plan, Verification& seen)
        : ReplayState{problem, plan, seen}, m_wanted(problem.step()->ops.size() + 1), m_held{python}
    {
        for (std::size_t i = 0; i < program.saved.size(); ++i) {
            const graph::Saved& row = program.saved[i];
            const int frame = tree.innermost(row.op);
            if (frame == kNoRegion || !row.unpack || *row.unpack < 0 || *row.unpack > end)
                continue;
            m_wanted[static_cast<std::size_t>(*row.unpack)].push_back(frame);
            m_rowsOfNode[row.sequence].push_back(i);
        }
        tree.passVariables(kNoRegion, m_held);
    }

    void run()
    {
        begin();
        for (OpIndex op = 0; op < end; ++op) {
            recomputeBefore(op);
            execute(op);
            now = op;
            makeNode(op);
            pack(op, true);
            prepare(op + 1);
            letGo(op);
        }
        recomputeBefore(end);
    }

private:
    void begin()
    {
        for (std::size_t i = 0; i < program.storages.size(); ++i) {
            if (program.storages[i].alloc >= 0)
                continue;
            const StorageId storage{i};
            schedule(m_held[i], {Event::Kind::Variable, heap.create(storage, true)});
        }
        prepare(0);
        letGo(kBeforeStep);
    }

    void recomputeBefore(OpIndex place)
    {
        std::vector<int> due;
        for (const int wanted : m_wanted[static_cast<std::size_t>(place)]) {
            // The enclosing frame saved its arguments, so that one is filled first.
            for (int id = wanted; id != kNoRegion && !tree[id].recomputed; id = tree[id].parent) {
                tree[id].recomputed = true;
                due.push_back(id);
            }
        }
        std::ranges::sort(due, {}, [this](int id) { return tree.rank(id); });
        for (const int id : due)
            m_recomputation.run(id, place);
    }

    void execute(OpIndex opIndex)
    {
        checkReads(opIndex);
        for (const StorageId storage : allocates[static_cast<std::size_t>(opIndex)]) {
            const InstanceId made = heap.create(storage, true);
            if (opIndex < forward)
                schedule(std::max(m_held[storage.index()], opIndex), {Event::Kind::Variable, made});
            else
                schedule(std::max(program.storage(storage).free, opIndex),
                         {Event::Kind::Release, made});
            if (opIndex < forward && tree.isSaved(opIndex)
                && !program.storage(storage).isScratch()) {
                heap.acquire(made);
                tree[tree.innermost(opIndex)].copies.push_back(made);
            }
        }
        watch.step(opIndex, false, heap, shards.during(opIndex, false));
        for (const TensorId tensor : op(opIndex).writes) {
            const StorageId storage = storageOf(tensor);
            ++writes[storage.index()];
            if (heap.isAlive(heap.original(storage)))
                heap.write(heap.original(storage));
            else
                for (const InstanceId instance : heap.alive(storage))
                    heap.write(instance);
        }
    }

    /// Checks that values read by the step's own execution are in memory.
    void checkReads(OpIndex opIndex)
    {
        const auto checkAll = [&](const std::vector<TensorId>& tensors) {
            for (const TensorId tensor : tensors) {
                const StorageId storage = storageOf(tensor);
                if (opIndex < forward)
                    readVersions[static_cast<std::size_t>(opIndex)].push_back(
                        writes[storage.index()]);
                if (heap.isAlive(heap.original(storage)))
                    continue;
                if (heap.original(storage) == kNoInstance)
                    faults.add(FaultKind::UseBeforeCompute, "{} uses {}, which isn't computed yet.",
                               graph::opAt(opIndex), storage);
                else if (opIndex < forward)
                    faults.add(FaultKind::UseAfterFree, "{} uses {}, which was freed before.",
                               graph::opAt(opIndex), storage);
                else
                    checkBackwardRead(opIndex, storage);
            }
        };
        checkAll(op(opIndex).reads);
        checkAll(op(opIndex).writes);
    }

    // The step's own instance is gone: a recomputed one must replace it, in the saved version.
    void checkBackwardRead(OpIndex opIndex, StorageId storage)
    {
        if (!heap.alive(storage).empty()) {
            checkSlots(opIndex, storage);
            return;
        }
        const OpIndex alloc = program.storage(storage).alloc;
        bool isToCome = false;
        for (int id = alloc < 0 ? kNoRegion : tree.innermost(alloc); id != kNoRegion;
             id = tree[id].parent)
            isToCome = isToCome || !tree[id].recomputed;
        faults.add(isToCome ? FaultKind::UseBeforeCompute : FaultKind::UseAfterFree,
                   "{} reads {}, which {}.", graph::opAt(opIndex), storage,
                   isToCome ? "isn't recomputed yet" : "was freed before");
    }

    // A node gets recomputed values only through its own saved tensors, while they are unpacked.
    void checkSlots(OpIndex opIndex, StorageId storage)
    {
        bool isNamed = false;
        bool isThere = false;
        bool isRight = false;
        if (const auto named = m_rowsOfNode.find(op(opIndex).sequence); named != m_rowsOfNode.end())
            for (const std::size_t index : named->second) {
                const graph::Saved& row = program.saved[index];
                if (storageOf(row.tensor) != storage || *row.unpack > opIndex
                    || row.dropped < opIndex)
                    continue;
                isNamed = true;
                const InstanceId instance = slots[index];
                isThere = isThere || heap.isAlive(instance);
                isRight = isRight
                          || (heap.isAlive(instance)
                              && heap.version(instance) == writes[storage.index()]);
            }
        if (!isNamed)
            faults.add(FaultKind::UseAfterFree,
                       "{} reads {}, of which only a recomputed copy is left that no saved tensor "
                       "of its node names.",
                       graph::opAt(opIndex), storage);
        else if (!isThere)
            faults.add(FaultKind::UseBeforeCompute,
                       "{} reads {}, which its own region doesn't hold recomputed.",
                       graph::opAt(opIndex), storage);
        else if (!isRight && !isBuffer(storage))
            faults.add(FaultKind::OverwrittenInput,
                       "{} reads {} as recomputed, but the step has overwritten it since.",
                       graph::opAt(opIndex), storage);
    }

    // Does what happens between two ops before anything is freed: regions begin, inputs are saved.
    void prepare(OpIndex next)
    {
        if (next >= end)
            return;
        for (const int frame : tree.beginningAt(next))
            enter(frame);
        pack(next, false);
    }

    void enter(int id)
    {
        Frame& frame = tree[id];
        const auto hold = [&](StorageId storage) {
            const InstanceId instance = heap.original(storage);
            if (!heap.isAlive(instance))
                faults.add(FaultKind::UseAfterFree, "{} is given {}, which was freed before.",
                           *frame.region, storage);
            heap.acquire(instance);
            return instance;
        };
        for (const StorageId storage : frame.arguments)
            schedule(frame.last, {Event::Kind::Release, hold(storage)});
        frame.references = 1; // held by the call
        schedule(frame.last, {Event::Kind::Frame, id});
        if (frame.parent == kNoRegion) {
            for (const StorageId storage : frame.arguments)
                frame.packed.push_back(hold(storage));
            return;
        }
        // Saved through the parent's hooks: a weak holder there, which keeps the parent's frame.
        Frame& parent = tree[frame.parent];
        ++parent.references;
        if (!frame.arguments.empty())
            ++parent.packs;
    }

    void pack(OpIndex opIndex, bool after)
    {
        for (const std::size_t row : rows[static_cast<std::size_t>(opIndex)]) {
            if (program.saved[row].afterKernel == after)
                packRow(row);
        }
    }

    void packRow(std::size_t index)
    {
        const graph::Saved& row = program.saved[index];
        const auto opIndex = static_cast<OpIndex>(row.op.index());
        const StorageId storage = storageOf(row.tensor);
        const int id = tree.innermost(opIndex);
        if (id == kNoRegion) {
            if (program.storage(storage).alloc >= forward)
                return; // lives as recorded
            const InstanceId instance = heap.original(storage);
            if (!heap.isAlive(instance))
                faults.add(FaultKind::UseAfterFree, "{} saves {}, which {}.", graph::opAt(opIndex),
                           storage,
                           isCode ? "it doesn't use, as only a custom autograd function's forward "
                                    "does: a plan between ops would lose its backward, so plan "
                                    "between modules"
                                  : "was freed before");
            heap.acquire(instance);
            if (branches.owns(index))
                keptByRow[index] = instance;
            else
                schedule(row.released, {Event::Kind::Release, instance});
            return;
        }
        ++tree[id].packs;
        ++tree[id].references;
        if (!branches.owns(index)) // else freed with its node
            schedule(row.released, {Event::Kind::Row, static_cast<int>(index)});
    }

    void letGo(OpIndex opIndex)
    {
        Events& due = events[static_cast<std::size_t>(opIndex) + 1];
        // apply() may append events, so no iterators.
        // NOLINTNEXTLINE(modernize-loop-convert)
        for (std::size_t i = 0; i < due.size(); ++i) {
            const Event event = due[i];
            apply(event, opIndex);
        }
        due.clear();
    }

    void apply(const Event& event, OpIndex opIndex)
    {
        switch (event.kind) {
        case Event::Kind::Variable: {
            const OpIndex alloc = program.storage(heap.storageOf(event.subject)).alloc;
            const OpIndex until = tree.waited(alloc, opIndex, kNoRegion);
            if (until > opIndex)
                schedule(until, {Event::Kind::Release, event.subject});
            else
                heap.release(event.subject);
            break;
        }
        case Event::Kind::Release: heap.release(event.subject); break;
        case Event::Kind::Row: releaseRow(static_cast<std::size_t>(event.subject), opIndex); break;
        case Event::Kind::Frame: unreference(event.subject); break;
        case Event::Kind::Node: forgetNode(event.subject, opIndex); break;
        }
    }

    void releaseRow(std::size_t index, OpIndex opIndex)
    {
        const graph::Saved& row = program.saved[index];
        Frame& frame = tree[tree.innermost(row.op)];
        // The node runs no op: it unpacks, which recomputes the region, before it releases.
        if (!frame.recomputed && row.unpack && *row.unpack == opIndex + 1)
            ++frame.lateReleases;
        else
            unreference(tree.innermost(row.op));
    }

    Recomputation m_recomputation{*this};
    std::vector<std::vector<int>> m_wanted; ///< by op: regions unpacked before it
    std::map<std::int64_t, std::vector<std::size_t>>
        m_rowsOfNode; ///< by sequence number: live rows of regions, which recomputations pack
    std::vector<graph::OpIndex> m_held; ///< by storage: as the plan changes python
};

} // namespace

void replayRegions(const Problem& problem, const CheckpointRegions& plan, Verification& seen)
{
    Replay{problem, plan, seen}.run();
}

} // namespace plimsoll::plan::verifying
