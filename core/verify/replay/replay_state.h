// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/faults.h"
#include "core/verify/replay/heap.h"
#include "core/verify/replay/nodes.h"
#include "core/verify/replay/shard_memory.h"
#include "core/verify/replay/tree.h"
#include "core/verify/replay/watch.h"

#include <cstdint>
#include <map>
#include <vector>

namespace plimsoll::plan::verifying {

/// What happens after an op: something is released.
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

/// What a step's own executions and its recomputations share.
struct ReplayState
{
    ReplayState(const Problem& given, const CheckpointRegions& plan, Verification& verification);

    [[nodiscard]] const graph::Op& op(graph::OpIndex opIndex) const
    {
        return program.ops[static_cast<std::size_t>(opIndex)];
    }
    [[nodiscard]] graph::StorageId storageOf(graph::TensorId tensor) const
    {
        return program.tensor(tensor).storage;
    }
    [[nodiscard]] bool isBuffer(graph::StorageId storage) const
    {
        return program.storage(storage).storageClass == graph::StorageClass::Buffer;
    }
    [[nodiscard]] bool hasCountedNode(graph::OpIndex opIndex) const
    {
        return !branches.isEmpty() && opIndex < forward && branches[opIndex].isCounted;
    }
    void schedule(graph::OpIndex opIndex, Event event);
    /// Counts the references to the node of an op that the step itself has run.
    void makeNode(graph::OpIndex opIndex);
    void forgetNode(int node, graph::OpIndex opIndex);
    void releaseRows(int node);
    /// Removes one of the references to a region's frame.
    void unreference(int frame);

    const graph::Program& program;
    FaultList faults;
    Heap heap;
    Watch watch;
    ShardMemory shards;
    FrameTree tree;
    DeadBranches branches;
    bool freezesStats;
    bool isCode;            ///< generated code runs in place of the model
    graph::OpIndex end;     ///< number of ops
    graph::OpIndex forward; ///< first op of backward
    graph::OpIndex now = graph::kBeforeStep;
    std::vector<std::vector<graph::StorageId>> allocates; ///< by op
    std::vector<std::vector<std::size_t>> rows;           ///< by op
    std::vector<Events> events;                           ///< by op + 1
    std::vector<int> nodeReferences;                      ///< by forward op: references to its node
    std::vector<InstanceId> keptByRow; ///< by row of a dead node in no region: what it has saved
    std::map<std::size_t, std::vector<InstanceId>>
        packedAgain; ///< by row of a dead node that still existed when it was packed a second time
    std::vector<InstanceId> slots;      ///< by row of a region: what a recomputation packed there
    std::vector<graph::OpIndex> python; ///< by storage: until when Python holds it, as recorded
    std::vector<int> writes;            ///< by storage, of the step's own executions
    std::vector<std::vector<int>> readVersions; ///< by forward op: version of each tensor read
};

} // namespace plimsoll::plan::verifying
