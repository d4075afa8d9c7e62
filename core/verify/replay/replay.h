// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/replay/heap.h"
#include "core/verify/replay/nodes.h"
#include "core/verify/replay/pins.h"
#include "core/verify/replay/shard_memory.h"
#include "core/verify/replay/tree.h"
#include "core/verify/verification.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plimsoll::plan::verifying {

/// Runs a step with its regions as PyTorch does, one op after the other, with a count of holders
/// for each storage: Python's variables, saved tensors, frames of regions, their tables of
/// recomputed tensors, variables of a recomputation until it stops.
/// The regions must be legal.
class Replay
{
public:
    Replay(const Problem& problem, const CheckpointRegions& plan, Verification& seen);
    void run();

private:
    /// What happens after an op: somebody lets go.
    struct Event
    {
        enum class Kind : std::uint8_t {
            Release,  ///< `subject`: an instance
            Variable, ///< the same, by Python: callers may have to wait
            Row,      ///< `subject`: a row of a region, whose hook held the frame
            Frame,    ///< `subject`: a region whose call has returned, or a row of it has gone
            Node,     ///< `subject`: an op whose node loses its variables
        };
        Kind kind = Kind::Release;
        int subject = 0;
    };
    using Events = std::vector<Event>;

    /// A recomputation while it runs.
    struct Execution
    {
        int frame = kNoRegion;
        graph::OpIndex place = 0; ///< op that is next to run in backward
        graph::OpIndex now = 0;   ///< forward op that began last, first - 1 before the first
        int packed = 0;
        std::vector<InstanceId> arguments;
        Events unwind; ///< at its end

        /// What its own graph of autograd keeps: counts of who refers to a node (by op) or to the
        /// frame of a nested region, and what goes with them.
        struct Holder
        {
            int references = 0;
            std::vector<InstanceId> held;
        };
        std::map<int, Holder> nodes;
        std::map<int, Holder> frames;
    };

    // verify_replay.cpp: the step's own executions
    void indexProgram();
    void begin();
    void execute(graph::OpIndex moment);
    void checkReads(graph::OpIndex moment);
    void checkBackwardRead(graph::OpIndex moment, graph::StorageId storage);
    void checkSlots(graph::OpIndex moment, graph::StorageId storage);
    void prepare(graph::OpIndex next);
    void enter(int id);
    void pack(graph::OpIndex moment, bool after);
    void packRow(std::size_t index);
    void schedule(graph::OpIndex moment, Event event);
    void letGo(graph::OpIndex moment);
    void apply(const Event& event, graph::OpIndex moment);
    void releaseRow(std::size_t index, graph::OpIndex moment);
    void unreference(int id);
    void recordStep(graph::OpIndex op, int frame);
    void fault(FaultKind kind, std::string sentence);

    // verify_node_counts.cpp: nodes that fall without having run
    void makeNode(graph::OpIndex moment);
    void forgetNode(int node, graph::OpIndex moment);
    void releaseRows(int node);
    void makeNode(Execution& run, graph::OpIndex moment);
    void makeFrame(Execution& run, int nested);
    void forgetNode(Execution& run, int node);
    void unreference(Execution& run, int nested);

    // verify_recompute.cpp: recomputations
    void recomputeBefore(graph::OpIndex place);
    void recompute(int id, graph::OpIndex place);
    void takeArguments(Execution& run);
    void bindVariables(const Execution& run);
    [[nodiscard]] bool prepare(Execution& run, graph::OpIndex next);
    [[nodiscard]] bool pack(Execution& run, graph::OpIndex moment, bool after);
    void packArguments(Execution& run, int nested);
    void packRow(Execution& run, std::size_t index);
    void fetch(Execution& run, graph::OpIndex moment);
    void execute(Execution& run, graph::OpIndex moment);
    void schedule(Execution& run, graph::OpIndex moment, Event event);
    void letGo(Execution& run, graph::OpIndex moment);
    void stop(Execution& run);
    [[nodiscard]] InstanceId visible(const Execution& run, graph::StorageId storage) const;
    [[nodiscard]] InstanceId read(const Execution& run, graph::OpIndex moment,
                                  graph::StorageId storage);

    [[nodiscard]] const graph::Op& op(graph::OpIndex moment) const
    {
        return m_program.ops[static_cast<std::size_t>(moment)];
    }
    [[nodiscard]] graph::StorageId storageOf(graph::TensorId tensor) const
    {
        return m_program.tensor(tensor).storage;
    }
    [[nodiscard]] bool isBuffer(graph::StorageId storage) const
    {
        return m_program.storage(storage).storageClass == graph::StorageClass::Buffer;
    }
    [[nodiscard]] std::string describe(graph::OpIndex moment) const;

    const graph::Program& m_program;
    const Problem& m_problem;
    Verification& m_seen;
    Heap m_heap;
    PinWatch m_pins;
    ShardMemory m_shards;
    FrameTree m_tree;
    DeadBranches m_branches;
    bool m_freezesStats;
    bool m_isCode;            ///< generated code runs in the model's place
    graph::OpIndex m_end;     ///< number of ops
    graph::OpIndex m_forward; ///< first op of backward
    graph::OpIndex m_now = graph::kBeforeStep;
    std::vector<std::vector<graph::StorageId>> m_allocates; ///< by op
    std::vector<std::vector<std::size_t>> m_rows;           ///< by op
    std::vector<std::vector<int>> m_wanted;                 ///< by op: regions unpacked before it
    std::vector<int> m_nodeReferences;                      ///< by forward op: who keeps its node
    std::vector<InstanceId> m_keptByRow;                    ///< by row of a dead node in no region
    std::map<std::size_t, std::vector<InstanceId>>
        m_packedAgain; ///< by row of a dead node that still stood when it was packed again
    std::vector<InstanceId> m_slots; ///< by row of a region: what a recomputation packed there
    std::map<std::int64_t, std::vector<std::size_t>>
        m_rowsOfNode;                             ///< by sequence number: live rows of regions
    std::vector<Events> m_events;                 ///< by moment + 1
    std::vector<graph::OpIndex> m_python;         ///< as recorded
    std::vector<graph::OpIndex> m_held;           ///< as the plan changes it
    std::vector<int> m_writes;                    ///< by storage, of the step's own executions
    std::vector<std::vector<int>> m_readVersions; ///< by forward op: version of each tensor read

    // Scratch of the recomputation that runs; they never interleave.
    std::vector<graph::OpIndex> m_local;   ///< by storage: until when its variables hold it
    std::vector<InstanceId> m_made;        ///< by storage: what its name means in it
    std::vector<graph::StorageId> m_bound; ///< entries of m_made that are set
    std::vector<Events> m_localEvents;     ///< by forward op
};

} // namespace plimsoll::plan::verifying
