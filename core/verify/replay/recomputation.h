// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/verify/replay/replay_state.h"

#include <map>
#include <vector>

namespace plimsoll::plan::verifying {

/// A region's recomputation within a step: one runs at a time.
class Recomputation
{
public:
    explicit Recomputation(ReplayState& state);
    /// Runs region `id` for the op of backward at `place`, until all that it packs exists.
    void run(int id, graph::OpIndex place);

private:
    /// What its own autograd graph keeps: the number of references to a node (by op) and to the
    /// frame of a nested region, and what is freed with them.
    struct Holder
    {
        int references = 0;
        std::vector<InstanceId> held;
    };
    struct Execution
    {
        int frame = kNoRegion;
        graph::OpIndex place = 0; ///< op of backward that runs next
        graph::OpIndex now = 0;   ///< forward op that began last, first - 1 before the first one
        int packed = 0;
        std::vector<InstanceId> arguments;
        Events unwind; ///< freed at its end
        std::map<int, Holder> nodes;
        std::map<int, Holder> frames;
    };

    [[nodiscard]] Frame& frame() const { return m_state.tree[m_run.frame]; }
    void takeArguments();
    void bindVariables();
    [[nodiscard]] bool prepare(graph::OpIndex next);
    [[nodiscard]] bool pack(graph::OpIndex opIndex, bool after);
    void packArguments(int nested);
    void packRow(std::size_t index);
    void fetch(graph::OpIndex opIndex);
    void execute(graph::OpIndex opIndex);
    void schedule(graph::OpIndex opIndex, Event event);
    void letGo(graph::OpIndex opIndex);
    void stop();
    [[nodiscard]] InstanceId visible(graph::StorageId storage) const;
    [[nodiscard]] InstanceId read(graph::OpIndex opIndex, graph::StorageId storage);

    // Nodes of its own graph, which is freed no later than at its end.
    void makeNode(graph::OpIndex opIndex);
    void makeFrame(int nested);
    void forgetNode(int node);
    void unreference(int nested);

    ReplayState& m_state;
    Execution m_run;
    std::vector<graph::OpIndex> m_local;   ///< by storage: until when its variables hold it
    std::vector<InstanceId> m_made;        ///< by storage: the instance to which its name refers
    std::vector<graph::StorageId> m_bound; ///< entries of m_made that are set
    std::vector<Events> m_localEvents;     ///< by forward op
};

} // namespace plimsoll::plan::verifying
